import type { CDPSession, Page } from '@playwright/test';
import { z } from 'zod';

const MB = 1_000_000;
const Usage = z.object({ usedSize: z.number(), backingStorageSize: z.number().default(0) });
const Attached = z.object({ sessionId: z.string(), targetInfo: z.object({ type: z.string() }) });
const Message = z.object({ sessionId: z.string(), message: z.string() });
const Reply = z.object({ id: z.number().optional(), result: z.unknown().optional() });

const megabytes = (usage: unknown): number => {
  const { usedSize, backingStorageSize } = Usage.parse(usage);
  return (usedSize + backingStorageSize) / MB;
};

/** Calls a method of the protocol on a worker of the page. */
async function callWorker(
  session: CDPSession,
  sessionId: string,
  id: number,
  method: string,
): Promise<unknown> {
  const answer = new Promise<unknown>((resolve) => {
    const listen = (event: unknown) => {
      const told = Message.parse(event);
      const reply = Reply.parse(JSON.parse(told.message));
      if (told.sessionId !== sessionId || reply.id !== id) return;
      session.off('Target.receivedMessageFromTarget', listen);
      resolve(reply.result);
    };
    session.on('Target.receivedMessageFromTarget', listen);
  });
  await session.send('Target.sendMessageToTarget', { sessionId, message: JSON.stringify({ id, method }) });
  return answer;
}

async function workersOf(session: CDPSession): Promise<string[]> {
  const workers: string[] = [];
  session.on('Target.attachedToTarget', (event) => {
    const { sessionId, targetInfo } = Attached.parse(event);
    if (targetInfo.type === 'worker') workers.push(sessionId);
  });
  await session.send('Target.setAutoAttach', {
    autoAttach: true,
    waitForDebuggerOnStart: false,
    flatten: false,
  });
  return workers;
}

/** What the page and its workers hold after a collection, in MB, with the memory of their arrays. */
export async function heapOf(page: Page): Promise<{ page: number; workers: number }> {
  const session = await page.context().newCDPSession(page);
  try {
    let workers = 0;
    for (const sessionId of await workersOf(session)) {
      // One after the other: a collection takes both cores.
      await callWorker(session, sessionId, 1, 'HeapProfiler.collectGarbage');
      workers += megabytes(await callWorker(session, sessionId, 2, 'Runtime.getHeapUsage'));
    }
    await session.send('HeapProfiler.collectGarbage');
    return { page: megabytes(await session.send('Runtime.getHeapUsage')), workers };
  } finally {
    await session.detach();
  }
}
