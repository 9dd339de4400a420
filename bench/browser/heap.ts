import type { CDPSession, Page } from '@playwright/test';
import { z } from 'zod';

const MB = 1_000_000;
const Usage = z.object({ usedSize: z.number(), backingStorageSize: z.number().default(0) });
const Attached = z.object({ sessionId: z.string(), targetInfo: z.object({ type: z.string() }) });
const Message = z.object({ sessionId: z.string(), message: z.string() });
const Reply = z.object({ id: z.number().optional(), result: z.unknown().optional() });

const toMegabytes = (usage: unknown): number => {
  const { usedSize, backingStorageSize } = Usage.parse(usage);
  return (usedSize + backingStorageSize) / MB;
};

/** Calls a method of the Chrome DevTools Protocol on a worker of the page; returns its result. */
async function callWorker(
  session: CDPSession,
  sessionId: string,
  id: number,
  method: string,
): Promise<unknown> {
  const response = new Promise<unknown>((resolve) => {
    const handleMessage = (event: unknown) => {
      const message = Message.parse(event);
      const reply = Reply.parse(JSON.parse(message.message));
      if (message.sessionId !== sessionId || reply.id !== id) return;
      session.off('Target.receivedMessageFromTarget', handleMessage);
      resolve(reply.result);
    };
    session.on('Target.receivedMessageFromTarget', handleMessage);
  });
  await session.send('Target.sendMessageToTarget', { sessionId, message: JSON.stringify({ id, method }) });
  return response;
}

/** Attaches the session to the workers of the page; returns the session ids of the workers. */
async function attachToWorkers(session: CDPSession): Promise<string[]> {
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

/** Heap sizes of the page and its workers in MB after a garbage collection, including array buffers. */
export async function measureHeapMb(page: Page): Promise<{ page: number; workers: number }> {
  const session = await page.context().newCDPSession(page);
  try {
    let workers = 0;
    for (const sessionId of await attachToWorkers(session)) {
      // Sequential, because a collection uses both cores.
      await callWorker(session, sessionId, 1, 'HeapProfiler.collectGarbage');
      workers += toMegabytes(await callWorker(session, sessionId, 2, 'Runtime.getHeapUsage'));
    }
    await session.send('HeapProfiler.collectGarbage');
    return { page: toMegabytes(await session.send('Runtime.getHeapUsage')), workers };
  } finally {
    await session.detach();
  }
}
