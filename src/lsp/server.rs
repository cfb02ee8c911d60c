//! The conversation with the editor: documents, requests in order, diagnostics when checks are done.

use super::actions::{self, Shown};
use super::analysis::{Analysis, Overlay};
use super::checks::{self, Done, Job};
use super::runs::{Ran, Runs, Wanted};
use super::text::{Encoding, Text, path_of};
use super::wire::{self, Incoming};
use super::{complete, homes, hover, lenses, navigate, paint};
use crossbeam_channel::{Receiver, Sender, select, unbounded};
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::notification::{self as note, Notification as _};
use lsp_types::request::{self as ask, Request as _};
use lsp_types::{
    CodeActionKind, CodeActionOptions, CodeActionProviderCapability, CompletionOptions, CompletionResponse,
    DocumentHighlight, DocumentSymbolResponse, GotoDefinitionResponse, HoverProviderCapability, InitializeParams,
    InitializeResult, OneOf, PrepareRenameResponse, PublishDiagnosticsParams, RenameOptions, SemanticTokens,
    SemanticTokensFullOptions, SemanticTokensOptions, SemanticTokensRangeResult, SemanticTokensResult,
    ServerCapabilities, ServerInfo, SignatureHelpOptions, TextDocumentPositionParams, TextDocumentSyncCapability,
    TextDocumentSyncKind, TextDocumentSyncOptions, Uri, WorkDoneProgressOptions,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::{BTreeMap, HashSet, VecDeque};
use std::io::{self, BufReader};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::Arc;
use std::thread;

/// Talks until the editor ends it. Whether it ended as agreed, with `shutdown` before `exit`.
///
/// # Errors
/// If the output cannot be written.
pub fn serve() -> io::Result<bool> {
    let (received, incoming) = unbounded();
    // The thread that reads ends with the program: nothing can wake it.
    thread::spawn(move || {
        let mut input = BufReader::new(io::stdin());
        while let Ok(Some(message)) = wire::read(&mut input) {
            if received.send(message).is_err() {
                break;
            }
        }
    });
    let (jobs, done) = checks::start();
    let (runs, ran) = Runs::new();
    let mut server = Server {
        jobs,
        runs,
        encoding: Encoding::default(),
        documents: BTreeMap::new(),
        versions: 0,
        state: State::Waiting,
        queue: VecDeque::new(),
        cancelled: HashSet::new(),
        out: Vec::new(),
        garbled: Vec::new(),
    };
    server.talk(&incoming, &done, &ran)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// For `initialize`.
    Waiting,
    Open,
    ShutDown,
}

struct Document {
    uri: Uri,
    /// What messages call it.
    name: String,
    text: Text,
    /// Counts all changes of all documents.
    version: u64,
    editor_version: Option<i32>,
    analysis: Option<Rc<Analysis>>,
    shown: Vec<Shown>,
}

struct Server {
    jobs: Sender<Job>,
    runs: Runs,
    encoding: Encoding,
    documents: BTreeMap<String, Document>,
    versions: u64,
    state: State,
    queue: VecDeque<Message>,
    cancelled: HashSet<RequestId>,
    out: Vec<Message>,
    /// What could not be read, and has not been answered yet.
    garbled: Vec<(ErrorCode, String)>,
}

/// What keeps a request from its answer.
struct Refusal(ErrorCode, String);

impl Refusal {
    fn failed(message: impl Into<String>) -> Self {
        Self(ErrorCode::RequestFailed, message.into())
    }
}

type Answer = Result<Value, Refusal>;

fn json(value: impl Serialize) -> Answer {
    serde_json::to_value(value).map_err(|error| Refusal(ErrorCode::InternalError, error.to_string()))
}

impl Server {
    fn talk(&mut self, incoming: &Receiver<Incoming>, done: &Receiver<Done>, ran: &Receiver<Ran>) -> io::Result<bool> {
        let stdout = io::stdout();
        loop {
            select! {
                recv(incoming) -> message => match message {
                    Ok(message) => {
                        self.take(message);
                        for more in incoming.try_iter() {
                            self.take(more);
                        }
                    }
                    // The editor has gone.
                    Err(_) => return Ok(self.state == State::ShutDown),
                },
                recv(done) -> found => if let Ok(found) = found {
                    self.publish(found);
                },
                recv(ran) -> ran => if let Ok(ran) = ran {
                    self.tell(ran);
                },
            }
            while let Some(message) = self.queue.pop_front() {
                if let Message::Notification(notification) = &message
                    && notification.method == note::Exit::METHOD
                {
                    return Ok(self.state == State::ShutDown);
                }
                self.message(message);
                self.flush(&stdout)?;
            }
            self.flush(&stdout)?;
        }
    }

    fn flush(&mut self, stdout: &io::Stdout) -> io::Result<()> {
        let mut output = stdout.lock();
        self.garbled.drain(..).try_for_each(|(code, why)| wire::refuse(&mut output, code, &why))?;
        self.out.drain(..).try_for_each(|message| wire::write(&mut output, &message))
    }

    /// Puts a message into the queue. What cancels another one overtakes it.
    fn take(&mut self, incoming: Incoming) {
        match incoming {
            Incoming::Message(Message::Notification(cancel)) if cancel.method == note::Cancel::METHOD => {
                let Ok(id) = serde_json::from_value::<RequestId>(cancel.params["id"].clone()) else { return };
                let waiting = |message: &Message| matches!(message, Message::Request(request) if request.id == id);
                if self.queue.iter().any(waiting) {
                    self.cancelled.insert(id);
                } else if self.runs.cancel(&id) {
                    self.answer(id, Err(Refusal(ErrorCode::RequestCanceled, "cancelled".to_owned())));
                }
            }
            Incoming::Message(message) => self.queue.push_back(message),
            Incoming::Garbled(code, why) => {
                self.garbled.push((code, why.clone()));
                self.notify::<note::LogMessage>(lsp_types::LogMessageParams {
                    typ: lsp_types::MessageType::WARNING,
                    message: why,
                });
            }
        }
    }

    fn notify<N: note::Notification>(&mut self, params: N::Params)
    where
        N::Params: Serialize,
    {
        self.out.push(Message::Notification(Notification::new(N::METHOD.to_owned(), params)));
    }

    fn message(&mut self, message: Message) {
        match message {
            Message::Request(request) => {
                let id = request.id.clone();
                let answer = if self.cancelled.remove(&id) {
                    Err(Refusal(ErrorCode::RequestCanceled, "cancelled".to_owned()))
                } else if request.method == ask::ExecuteCommand::METHOD && self.state == State::Open {
                    // It is answered when the test has ended.
                    let begin = || read(request.params).and_then(|params| self.begin_test(id.clone(), &params));
                    match catch_unwind(AssertUnwindSafe(begin)) {
                        Ok(Ok(())) => return,
                        Ok(Err(refusal)) => Err(refusal),
                        Err(_) => Err(Refusal(ErrorCode::InternalError, "this test is beyond the server".to_owned())),
                    }
                } else {
                    // A fault in one answer must not end the conversation.
                    catch_unwind(AssertUnwindSafe(|| self.request(request))).unwrap_or_else(|_| {
                        Err(Refusal(ErrorCode::InternalError, "this question is beyond the server".to_owned()))
                    })
                };
                self.answer(id, answer);
            }
            Message::Notification(notification) => {
                if self.state == State::Open {
                    let _ = catch_unwind(AssertUnwindSafe(|| self.notification(notification)));
                }
            }
            // Nothing is ever asked of the editor.
            Message::Response(_) => {}
        }
    }

    fn answer(&mut self, id: RequestId, answer: Answer) {
        self.out.push(Message::Response(match answer {
            Ok(value) => Response::new_ok(id, value),
            Err(Refusal(code, message)) => Response::new_err(id, code as i32, message),
        }));
    }

    // ---- documents ----

    fn notification(&mut self, notification: Notification) {
        match notification.method.as_str() {
            note::DidOpenTextDocument::METHOD => {
                if let Ok(params) = read::<lsp_types::DidOpenTextDocumentParams>(notification.params) {
                    let opened = params.text_document;
                    self.update(opened.uri, Text::new(opened.text), Some(opened.version));
                }
            }
            note::DidChangeTextDocument::METHOD => {
                if let Ok(params) = read::<lsp_types::DidChangeTextDocumentParams>(notification.params)
                    && let Some(document) = self.documents.get(params.text_document.uri.as_str())
                {
                    let text = document.text.changed(params.content_changes, self.encoding);
                    self.update(params.text_document.uri, text, Some(params.text_document.version));
                }
            }
            note::DidCloseTextDocument::METHOD => {
                if let Ok(params) = read::<lsp_types::DidCloseTextDocumentParams>(notification.params) {
                    self.documents.remove(params.text_document.uri.as_str());
                    let uri = params.text_document.uri;
                    self.notify::<note::PublishDiagnostics>(PublishDiagnosticsParams::new(uri, Vec::new(), None));
                    self.check_others("");
                }
            }
            note::DidSaveTextDocument::METHOD | note::DidChangeWatchedFiles::METHOD => self.check_others(""),
            _ => {}
        }
    }

    fn update(&mut self, uri: Uri, text: Text, editor_version: Option<i32>) {
        let key = uri.as_str().to_owned();
        let name = path_of(&key).map_or_else(|| key.clone(), |path| path.display().to_string());
        self.versions += 1;
        let shown = self.documents.remove(&key).map(|document| document.shown).unwrap_or_default();
        let version = self.versions;
        self.documents
            .insert(key.clone(), Document { uri, name, text, version, editor_version, analysis: None, shown });
        self.check(&key);
        self.check_others(&key);
    }

    /// Files that are open together may build on one another.
    fn check_others(&mut self, but: &str) {
        let others: Vec<String> = self
            .documents
            .iter_mut()
            .filter(|(key, document)| *key != but && builds_on_files(&document.text.text))
            .map(|(key, document)| {
                document.analysis = None;
                key.clone()
            })
            .collect();
        for key in others {
            self.check(&key);
        }
    }

    fn overlay(&self) -> Overlay {
        let open = self.documents.values().map(|document| (document.name.clone(), document.text.text.clone()));
        Overlay { open: Arc::new(open.collect()) }
    }

    fn check(&mut self, key: &str) {
        let overlay = self.overlay();
        let Some(document) = self.documents.get(key) else { return };
        if path_of(key).is_some_and(|path| homes::is_copy(&path)) {
            return;
        }
        let _ = self.jobs.send(Job {
            uri: key.to_owned(),
            version: document.version,
            name: document.name.clone(),
            text: document.text.text.clone(),
            overlay,
        });
    }

    fn publish(&mut self, done: Done) {
        let encoding = self.encoding;
        let Some(document) = self.documents.get_mut(&done.uri).filter(|document| document.version == done.version)
        else {
            return;
        };
        document.shown = actions::shown(&done.diagnostics, &done.sources, (&document.name, &document.uri), encoding);
        let diagnostics = document.shown.iter().map(|shown| shown.diagnostic.clone()).collect();
        let params = PublishDiagnosticsParams::new(document.uri.clone(), diagnostics, document.editor_version);
        self.notify::<note::PublishDiagnostics>(params);
    }

    /// What is known about the present version of a text, found out when it is first asked for.
    fn analysis(&mut self, uri: &Uri) -> Result<Rc<Analysis>, Refusal> {
        let missing = || Refusal(ErrorCode::InvalidParams, format!("`{}` is not open", uri.as_str()));
        let document = self.documents.get(uri.as_str()).ok_or_else(missing)?;
        if let Some(analysis) = &document.analysis {
            return Ok(Rc::clone(analysis));
        }
        let analysis = Rc::new(Analysis::new(&document.name, document.text.clone(), &self.overlay()));
        if let Some(document) = self.documents.get_mut(uri.as_str()) {
            document.analysis = Some(Rc::clone(&analysis));
        }
        Ok(analysis)
    }

    /// The analysis of a text and an offset in it.
    fn place(&mut self, at: &TextDocumentPositionParams) -> Result<(Rc<Analysis>, usize), Refusal> {
        let analysis = self.analysis(&at.text_document.uri)?;
        let offset = analysis.text.offset(at.position, self.encoding);
        Ok((analysis, offset))
    }

    // ---- requests ----

    fn request(&mut self, request: Request) -> Answer {
        match (self.state, request.method.as_str()) {
            (State::Waiting, ask::Initialize::METHOD) => return self.initialize(request.params),
            (State::Waiting, _) => {
                return Err(Refusal(ErrorCode::ServerNotInitialized, "`initialize` comes first".to_owned()));
            }
            (State::ShutDown, _) => {
                return Err(Refusal(ErrorCode::InvalidRequest, "the server has been shut down".to_owned()));
            }
            (State::Open, ask::Shutdown::METHOD) => {
                self.state = State::ShutDown;
                return Ok(Value::Null);
            }
            (State::Open, _) => {}
        }
        let encoding = self.encoding;
        let params = request.params;
        match request.method.as_str() {
            ask::HoverRequest::METHOD => {
                let params: lsp_types::HoverParams = read(params)?;
                let (analysis, offset) = self.place(&params.text_document_position_params)?;
                json(hover::hover(&analysis, offset, encoding))
            }
            ask::Completion::METHOD => {
                let params: lsp_types::CompletionParams = read(params)?;
                let (analysis, offset) = self.place(&params.text_document_position)?;
                json(CompletionResponse::Array(complete::complete(&analysis, offset)))
            }
            ask::GotoDefinition::METHOD => {
                let params: lsp_types::GotoDefinitionParams = read(params)?;
                let at = params.text_document_position_params;
                let (analysis, offset) = self.place(&at)?;
                let found = navigate::definition(&analysis, offset)
                    .and_then(|span| navigate::location(&analysis, span, &at.text_document.uri, encoding));
                json(found.map(GotoDefinitionResponse::Scalar))
            }
            ask::References::METHOD => {
                let params: lsp_types::ReferenceParams = read(params)?;
                let at = params.text_document_position;
                let (analysis, offset) = self.place(&at)?;
                let Some(found) = analysis.at(offset) else { return Ok(Value::Null) };
                let places = navigate::references(&analysis, &found, params.context.include_declaration);
                let places = places
                    .into_iter()
                    .filter_map(|span| navigate::location(&analysis, span, &at.text_document.uri, encoding))
                    .collect::<Vec<_>>();
                json(places)
            }
            ask::DocumentHighlightRequest::METHOD => {
                let params: lsp_types::DocumentHighlightParams = read(params)?;
                let (analysis, offset) = self.place(&params.text_document_position_params)?;
                let Some(found) = analysis.at(offset) else { return Ok(Value::Null) };
                let places = navigate::references(&analysis, &found, true);
                let here = places.into_iter().filter(|span| span.source == analysis.main());
                let range = |span: crate::source::Span| analysis.text.range(span.range(), encoding);
                json(here.map(|span| DocumentHighlight { range: range(span), kind: None }).collect::<Vec<_>>())
            }
            ask::PrepareRenameRequest::METHOD => {
                let params: TextDocumentPositionParams = read(params)?;
                let (analysis, offset) = self.place(&params)?;
                let found = analysis.at(offset).ok_or_else(|| Refusal::failed("there is no name here"))?;
                let span = navigate::renamable(&analysis, &found).map_err(Refusal::failed)?;
                json(PrepareRenameResponse::Range(analysis.text.range(span.range(), encoding)))
            }
            ask::Rename::METHOD => {
                let params: lsp_types::RenameParams = read(params)?;
                let at = params.text_document_position;
                let (analysis, offset) = self.place(&at)?;
                let edit = navigate::rename(&analysis, offset, &params.new_name, &at.text_document.uri, encoding);
                json(edit.map_err(Refusal::failed)?)
            }
            ask::DocumentSymbolRequest::METHOD => {
                let params: lsp_types::DocumentSymbolParams = read(params)?;
                let analysis = self.analysis(&params.text_document.uri)?;
                json(DocumentSymbolResponse::Nested(navigate::symbols(&analysis, encoding)))
            }
            ask::SemanticTokensFullRequest::METHOD => {
                let params: lsp_types::SemanticTokensParams = read(params)?;
                let analysis = self.analysis(&params.text_document.uri)?;
                let data = paint::semantic_tokens(&analysis, 0..analysis.text.text.len(), encoding);
                json(SemanticTokensResult::Tokens(SemanticTokens { result_id: None, data }))
            }
            ask::SemanticTokensRangeRequest::METHOD => {
                let params: lsp_types::SemanticTokensRangeParams = read(params)?;
                let analysis = self.analysis(&params.text_document.uri)?;
                let range = bytes(&analysis, params.range, encoding);
                let data = paint::semantic_tokens(&analysis, range, encoding);
                json(SemanticTokensRangeResult::Tokens(SemanticTokens { result_id: None, data }))
            }
            ask::InlayHintRequest::METHOD => {
                let params: lsp_types::InlayHintParams = read(params)?;
                let analysis = self.analysis(&params.text_document.uri)?;
                let range = bytes(&analysis, params.range, encoding);
                json(paint::inlay_hints(&analysis, range, encoding))
            }
            ask::SignatureHelpRequest::METHOD => {
                let params: lsp_types::SignatureHelpParams = read(params)?;
                let (analysis, offset) = self.place(&params.text_document_position_params)?;
                json(hover::signature_help(&analysis, offset))
            }
            ask::Formatting::METHOD => {
                let params: lsp_types::DocumentFormattingParams = read(params)?;
                let uri = params.text_document.uri;
                let missing = || Refusal(ErrorCode::InvalidParams, format!("`{}` is not open", uri.as_str()));
                let document = self.documents.get(uri.as_str()).ok_or_else(missing)?;
                json(actions::formatting(&document.text, encoding))
            }
            ask::CodeActionRequest::METHOD => {
                let params: lsp_types::CodeActionParams = read(params)?;
                let Some(document) = self.documents.get(params.text_document.uri.as_str()) else {
                    return Ok(Value::Null);
                };
                json(actions::code_actions(&document.shown, params.range, &document.uri))
            }
            ask::FoldingRangeRequest::METHOD => {
                let params: lsp_types::FoldingRangeParams = read(params)?;
                let analysis = self.analysis(&params.text_document.uri)?;
                json(lenses::folds(&analysis, encoding))
            }
            ask::CodeLensRequest::METHOD => {
                let params: lsp_types::CodeLensParams = read(params)?;
                let analysis = self.analysis(&params.text_document.uri)?;
                json(lenses::lenses(&analysis, &params.text_document.uri, encoding))
            }
            ask::WorkspaceSymbolRequest::METHOD => {
                let params: lsp_types::WorkspaceSymbolParams = read(params)?;
                let open: Vec<Uri> = self.documents.values().map(|document| document.uri.clone()).collect();
                let mut found = Vec::new();
                for uri in open {
                    let analysis = self.analysis(&uri)?;
                    found.extend(lenses::named(&analysis, &params.query, &uri, encoding));
                }
                json(found)
            }
            other => Err(Refusal(ErrorCode::MethodNotFound, format!("`{other}` is not understood"))),
        }
    }

    /// Runs a test beside the conversation.
    fn begin_test(&mut self, id: RequestId, params: &lsp_types::ExecuteCommandParams) -> Result<(), Refusal> {
        let wanted = lenses::wanted(&params.arguments).filter(|_| params.command == lenses::RUN_TEST);
        let Some((uri, test)) = wanted else {
            let message = format!("`{}` is no command of this server with such arguments", params.command);
            return Err(Refusal(ErrorCode::InvalidParams, message));
        };
        let analysis = self.analysis(&uri)?;
        let file = self.documents.get(uri.as_str()).map_or_else(String::new, |document| document.name.clone());
        let wanted = Wanted { file, text: analysis.text.text.clone(), overlay: self.overlay(), test };
        if self.runs.begin(id, wanted) {
            Ok(())
        } else {
            Err(Refusal::failed("as many tests are running as the server runs at once; cancel one, or wait".to_owned()))
        }
    }

    /// Says how a test has gone, also where the editor shows messages.
    fn tell(&mut self, Ran { id, outcome }: Ran) {
        if !self.runs.end(&id) {
            return;
        }
        let answer = outcome.map_err(Refusal::failed).and_then(|(ok, message)| {
            let typ = if ok { lsp_types::MessageType::INFO } else { lsp_types::MessageType::ERROR };
            self.notify::<note::ShowMessage>(lsp_types::ShowMessageParams { typ, message: message.clone() });
            json(serde_json::json!({ "ok": ok, "message": message }))
        });
        self.answer(id, answer);
    }

    fn initialize(&mut self, params: Value) -> Answer {
        let params: InitializeParams = read(params)?;
        let offered = params.capabilities.general.and_then(|general| general.position_encodings).unwrap_or_default();
        self.encoding = Encoding::chosen(&offered);
        self.state = State::Open;
        json(InitializeResult {
            capabilities: capabilities(self.encoding),
            server_info: Some(ServerInfo {
                name: "ludwright".to_owned(),
                version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            }),
        })
    }
}

fn bytes(analysis: &Analysis, range: lsp_types::Range, encoding: Encoding) -> std::ops::Range<usize> {
    analysis.text.offset(range.start, encoding)..analysis.text.offset(range.end, encoding)
}

fn read<T: DeserializeOwned>(params: Value) -> Result<T, Refusal> {
    serde_json::from_value(params).map_err(|error| Refusal(ErrorCode::InvalidParams, error.to_string()))
}

/// Whether a text may name other files: what changes there matters to it.
fn builds_on_files(text: &str) -> bool {
    text.contains("extends \"") || text.lines().any(|line| line.trim_start().starts_with("use "))
}

fn capabilities(encoding: Encoding) -> ServerCapabilities {
    let progress = WorkDoneProgressOptions::default();
    ServerCapabilities {
        position_encoding: Some(encoding.kind()),
        text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::INCREMENTAL),
            save: Some(lsp_types::TextDocumentSyncSaveOptions::Supported(true)),
            ..TextDocumentSyncOptions::default()
        })),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some(vec![" ".to_owned(), "{".to_owned()]),
            ..CompletionOptions::default()
        }),
        signature_help_provider: Some(SignatureHelpOptions {
            trigger_characters: Some(vec!["(".to_owned(), ",".to_owned()]),
            retrigger_characters: None,
            work_done_progress_options: progress,
        }),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        document_highlight_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        workspace_symbol_provider: Some(OneOf::Left(true)),
        folding_range_provider: Some(lsp_types::FoldingRangeProviderCapability::Simple(true)),
        code_lens_provider: Some(lsp_types::CodeLensOptions { resolve_provider: Some(false) }),
        execute_command_provider: Some(lsp_types::ExecuteCommandOptions {
            commands: vec![lenses::RUN_TEST.to_owned()],
            work_done_progress_options: progress,
        }),
        document_formatting_provider: Some(OneOf::Left(true)),
        code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(vec![CodeActionKind::QUICKFIX]),
            ..CodeActionOptions::default()
        })),
        rename_provider: Some(OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: progress,
        })),
        inlay_hint_provider: Some(OneOf::Left(true)),
        semantic_tokens_provider: Some(
            SemanticTokensOptions {
                legend: paint::legend(),
                range: Some(true),
                full: Some(SemanticTokensFullOptions::Bool(true)),
                work_done_progress_options: progress,
            }
            .into(),
        ),
        ..ServerCapabilities::default()
    }
}
