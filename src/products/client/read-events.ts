/** An event of a stream. */
export interface StreamEvent {
  readonly name: string;
  readonly data: string;
  /** The last `id` that the stream has had. */
  readonly id: string;
}

/**
 * Makes a reader of server-sent events by the rules of the HTML standard (§9.2.6, "Interpreting an event stream"): it
 * takes the bytes of a stream as they come, cut anywhere, and calls back for each event and each `retry`, in
 * milliseconds. An event that the stream does not end is lost, as it must be.
 */
export function readEvents(onEvent: (event: StreamEvent) => void, onRetry: (ms: number) => void): (bytes: Uint8Array) => void {
  const decoder = new TextDecoder(); // drops a byte order mark, and keeps half a character for the next chunk
  let line = '';
  let isAfterCr = false;
  let name = '';
  let data: string[] = [];
  let id = '';

  function readLine(): void {
    const [, field = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (line === '') {
      if (data.length > 0) onEvent({ name: name || 'message', data: data.join('\n'), id });
      name = '';
      data = [];
    } else if (field === 'data') data.push(value);
    else if (field === 'event') name = value;
    else if (field === 'id' && !value.includes('\0')) id = value;
    else if (field === 'retry' && /^\d+$/.test(value)) onRetry(Number(value));
  }

  return function read(bytes) {
    let text = decoder.decode(bytes, { stream: true });
    if (text === '') return;
    if (isAfterCr && text.startsWith('\n')) text = text.slice(1);
    isAfterCr = text.endsWith('\r');
    const [first = '', ...others] = text.split(/\r\n|\r|\n/);
    line += first;
    for (const next of others) {
      readLine();
      line = next;
    }
  };
}
