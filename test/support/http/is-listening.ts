import { connect } from 'node:net';

/** Whether a port takes connections. */
export const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

/** Resolves when a server has stopped listening. */
export async function untilRefused(port: number): Promise<void> {
  while (await isListening(port));
}
