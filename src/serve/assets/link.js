// Links that hold a whole rule text: packed behind the `#`, which no server sees.

const MARK = "#rules=";
/** The longest text of rules, in bytes. */
const MOST = 128 * 1024;

async function through(bytes, stream) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

/** A link to a text. */
export async function linkTo(text) {
  const packed = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
  const letters = btoa(Array.from(packed, (byte) => String.fromCharCode(byte)).join(""));
  return `${location.origin}/play/new${MARK}${letters.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
}

/** The text of a link, or null where there is none. */
export async function linked(hash) {
  if (!hash.startsWith(MARK)) return null;
  try {
    const letters = atob(hash.slice(MARK.length).replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true }).decode(await unpacked(bytes));
  } catch {
    throw new Error("The rules in this link cannot be read: it has been cut off, or they are longer than 128 KiB.");
  }
}

/** A short link may hold a text without end: no more is unpacked than rules may have. */
async function unpacked(bytes) {
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const parts = [];
  let size = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.length;
    if (size > MOST) {
      reader.cancel().catch(() => {});
      throw new RangeError("too long");
    }
    parts.push(part.value);
  }
  return new Blob(parts).arrayBuffer();
}
