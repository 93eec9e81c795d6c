import type { Api } from 'koa-mongo-resource';
import { webhooks } from './model.ts';

/** Sends what changes in a workspace to those who have subscribed there. */
export async function sendWebhooks(api: Api): Promise<{ close(): Promise<unknown> }> {
  const sending = await webhooks.open({
    api,
    async scope(_event, load) {
      const record = await load<{ workspace: string; workspaceId?: string }>();
      return record && { workspace: record.workspaceId ?? record.workspace };
    },
  });
  const worker = await api.deliver({ handle: sending.handle });
  return { close: () => Promise.all([worker.close(), sending.close()]) };
}
