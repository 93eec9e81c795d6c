import type { RequestListener, Server } from 'node:http';
import type { Db } from 'mongodb';

/** How large an api is. */
export interface Size {
  /** How many resources it has, the orders among them. */
  readonly resources: number;
  /** How many fields an order has beside those of `StoredOrder`. */
  readonly moreFields: number;
}

/** Serves the orders of a database at `/api/orders`. */
export interface Contestant {
  readonly title: string;
  /** Whether its answers are those of the library, but for the text of cursors. Others have a shape of their own. */
  readonly answersAlike: boolean;
  /**
   * The query string of the newest open orders before `BEFORE`, `LIMIT` of them, where it has a language of its own.
   */
  readonly query?: string;
  /**
   * Makes what answers requests: a listener for `node:http`, or a server that does not listen yet. Only ours and what
   * is written by hand with Koa have another size than that of one resource without more fields.
   */
  create(db: Db, size: Size): Promise<RequestListener | Server>;
}
