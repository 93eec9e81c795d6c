/** What a request of Swagger UI says of its operation. */
interface ExecutedRequest {
  readonly pathName: string;
  readonly method: string;
}

/** What Swagger UI shows of an answer. */
interface ShownResponse {
  readonly text?: string;
}

type SetResponse = (path: string, method: string, response: ShownResponse) => unknown;

/** What the page of an operation has open. */
interface Opened {
  readonly ending: AbortController;
  /** Whether the answer is a stream of events. Any other answer is shown as Swagger UI does it. */
  isStream: boolean;
  /** The last events, each of them whole. */
  text: string;
  /** Shows them: the first time by the answer that Swagger UI waits for, then in place of it. */
  show(): void;
}

/**
 * A plugin of Swagger UI that shows the events of a stream as they come: by itself it waits for the end of an
 * answer. A stream ends when its operation is executed again or cleared, and with the page.
 *
 * This runs in the browser, where the start script has the text of the function: it refers to nothing outside of it.
 * Nor has it named functions inside, in which bundlers that keep names (`keepNames` of esbuild, and so tsx) refer to a
 * function of theirs; methods have their names by themselves.
 */
export function followEvents(window: { addEventListener(name: string, listener: () => void): void }): object {
  const mostText = 65_536;
  const opened = new Map<string, Opened>();
  window.addEventListener('pagehide', () => {
    for (const { ending } of opened.values()) ending.abort();
  });
  const wrapActions = {
    executeRequest(execute: (request: ExecutedRequest) => unknown) {
      return (request: ExecutedRequest) => {
        const operation = `${request.method} ${request.pathName}`;
        const own: Opened = { ending: new AbortController(), isStream: false, text: '', show() {} };
        const { signal } = own.ending;
        opened.get(operation)?.ending.abort();
        opened.set(operation, own);
        const reading = {
          async open(url: string, init: RequestInit): Promise<Response> {
            const response = await fetch(url, { ...init, signal });
            if (!response.body || !response.headers.get('Content-Type')?.startsWith('text/event-stream')) return response;
            own.isStream = true;
            void reading.goOn(response.body.pipeThrough(new TextDecoderStream()).getReader());
            return new Promise((resolve) => {
              own.show = () => resolve(new Response(own.text, response));
            });
          },
          async goOn(reader: { read(): Promise<{ done: boolean; value?: string | undefined }> }): Promise<void> {
            let received = '';
            try {
              for (let read = await reader.read(); !read.done; read = await reader.read()) {
                received += read.value;
                if (!received.endsWith('\n\n')) continue;
                reading.add(received);
                received = '';
              }
            } catch {
              // A connection that breaks ends the stream as well.
            }
            reading.add(': The stream has ended.\n\n');
          },
          add(events: string): void {
            if (signal.aborted) return;
            own.text += events.replace(/^: ?\n\n/gm, ''); // without the signs of life
            while (own.text.length > mostText && own.text.indexOf('\n\n') + 2 < own.text.length)
              own.text = own.text.slice(own.text.indexOf('\n\n') + 2);
            own.show();
          },
        };
        return execute({
          ...request,
          async userFetch(url: string, init: RequestInit & { headers: Record<string, string> }): Promise<Response> {
            if (init.headers.accept !== 'text/event-stream') return fetch(url, init);
            return reading.open(url, init).catch((error: unknown) => {
              if (signal.aborted) return new Promise(() => {}); // Swagger UI would show the error in place of what came after
              throw error;
            });
          },
        } as ExecutedRequest);
      };
    },
    setResponse(set: SetResponse): SetResponse {
      return (path, method, response) => {
        const own = opened.get(`${method} ${path}`);
        if (!own?.isStream) return set(path, method, response);
        own.show = () => void set(path, method, { ...response, text: own.text });
        return own.show();
      };
    },
    clearResponse(clear: (path: string, method: string) => unknown) {
      return (path: string, method: string) => {
        const operation = `${method} ${path}`;
        opened.get(operation)?.ending.abort();
        opened.delete(operation);
        return clear(path, method);
      };
    },
  };
  return { statePlugins: { spec: { wrapActions } } };
}
