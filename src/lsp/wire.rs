//! Messages on standard input and output: one that cannot be read is answered with an error, and the next one is found.

use lsp_server::{ErrorCode, Message};
use serde_json::{Value, json};
use std::io::{self, BufRead, Read as _, Write};

/// No message of an editor is nearly as long.
const MAX_MESSAGE: u64 = 64 << 20;
const MAX_HEADER: u64 = 16 << 10;

/// What came in.
pub enum Incoming {
    Message(Message),
    /// Something that is no message, with the code for it in JSON-RPC, and why.
    Garbled(ErrorCode, String),
}

/// The next message; none at the end of the input.
///
/// # Errors
/// Whatever the system says about the input.
pub fn read(input: &mut impl BufRead) -> io::Result<Option<Incoming>> {
    let Some(length) = header(input)? else { return Ok(None) };
    let length = match length {
        Ok(length) => length,
        Err(why) => return Ok(Some(Incoming::Garbled(ErrorCode::ParseError, why))),
    };
    if length > MAX_MESSAGE {
        io::copy(&mut input.take(length), &mut io::sink())?;
        let why = format!("a message of {length} bytes is too long");
        return Ok(Some(Incoming::Garbled(ErrorCode::InvalidRequest, why)));
    }
    let mut body = Vec::new();
    input.take(length).read_to_end(&mut body)?;
    Ok(Some(match serde_json::from_slice(&body) {
        Ok(message) => Incoming::Message(message),
        Err(error) => {
            let code = match serde_json::from_slice::<Value>(&body) {
                Ok(_) => ErrorCode::InvalidRequest,
                Err(_) => ErrorCode::ParseError,
            };
            Incoming::Garbled(code, format!("this is no message: {error}"))
        }
    }))
}

/// The length that a header tells; none at the end of the input.
fn header(input: &mut impl BufRead) -> io::Result<Option<Result<u64, String>>> {
    let mut length = None;
    let mut begun = false;
    loop {
        let mut line = Vec::new();
        if input.take(MAX_HEADER).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim();
        if line.is_empty() {
            match (length, begun) {
                (Some(length), _) => return Ok(Some(Ok(length))),
                (None, true) => return Ok(Some(Err("a header without a length".to_owned()))),
                (None, false) => continue,
            }
        }
        begun = true;
        if let Some((name, value)) = line.split_once(':')
            && name.trim().eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok();
        }
    }
}

/// Writes the answer to what could not be read: whose it is, nobody knows.
///
/// # Errors
/// Whatever the system says about the output.
pub fn refuse(output: &mut impl Write, code: ErrorCode, why: &str) -> io::Result<()> {
    let error = json!({ "code": code as i32, "message": why });
    let body = json!({ "jsonrpc": "2.0", "id": Value::Null, "error": error }).to_string();
    write!(output, "Content-Length: {}\r\n\r\n{body}", body.len())?;
    output.flush()
}

/// Writes one message and flushes it.
///
/// # Errors
/// Whatever the system says about the output.
pub fn write(output: &mut impl Write, message: &Message) -> io::Result<()> {
    message.write(output)?;
    output.flush()
}
