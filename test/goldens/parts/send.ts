import type { Api } from '../../../src/index.ts';

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a request to an api in this process. */
export async function send(
  api: Pick<Api<never>, 'fetch'>,
  { method, path, body, headers }: Sent,
): Promise<{ readonly status: number; readonly text: string }> {
  const type = { ...(body && { 'content-type': 'application/json' }) };
  const sent = { method, headers: { ...type, ...headers }, ...(body && { body: JSON.stringify(body) }) };
  const answer = await api.fetch(new Request(`http://in-process${path}`, sent));
  return { status: answer.status, text: await answer.text() };
}
