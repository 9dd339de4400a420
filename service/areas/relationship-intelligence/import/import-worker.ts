/** Thread that reads the bodies of imports, one after the other, so that other requests do not wait for it (read-import.ts). */
import { parentPort, workerData } from 'node:worker_threads';
import { ApiError } from '../../../kernel/api-error.ts';
import { type ContractDocument, createContract } from '../../../kernel/http/contract.ts';
import { createCopyBatch } from './copy-batch.ts';
import { createItemReader, type ItemBatch } from './item-reader.ts';
import { createItemValidator, createUnpacker, type ReaderMessage, type ReaderReply } from './read-import.ts';

const contract = createContract(workerData as ContractDocument);
let reader: ReturnType<typeof createItemReader> | undefined;
let unpacker: ReturnType<typeof createUnpacker> | undefined;
let batches: readonly ItemBatch[] = [];
let taken = 0;

const reply = (message: ReaderReply, transfer: ArrayBuffer[] = []): void =>
  parentPort?.postMessage(message, transfer);

async function handle(message: ReaderMessage): Promise<void> {
  if ('start' in message) {
    const { start, copyFor } = message;
    const replyCopy = (batch: ItemBatch) => {
      if (!copyFor) return;
      const copy = createCopyBatch(batch, copyFor);
      reply({ copy }, [copy.items.buffer, copy.links.buffer]);
    };
    const created = createItemReader(start, createItemValidator(contract, start.kind), replyCopy);
    reader = created;
    taken = 0;
    unpacker = createUnpacker(message.isPacked, (chunk) => created.write(chunk));
  } else if ('bytes' in message) {
    const chunk = Buffer.from(message.bytes.buffer);
    await unpacker?.write(chunk);
    taken += chunk.length;
    reply({ taken });
  } else if ('end' in message) {
    await unpacker?.end();
    if (!reader) throw new Error('Nothing was started');
    const reading = reader.end();
    batches = reading.batches;
    const { errors, received, users } = reading;
    reply({ reading: { errors, received, users, batchCount: batches.length } });
  } else if ('forget' in message) {
    reader = undefined;
    unpacker = undefined;
    batches = [];
  } else {
    const rows = batches[message.batch];
    if (!rows) throw new Error(`There is no batch ${message.batch}`);
    reply({ rows });
  }
}

async function handleAfter(previous: Promise<void>, message: ReaderMessage): Promise<void> {
  await previous;
  try {
    await handle(message);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    reply({ refusal: { status: error.status, message: error.message } });
  }
}

// One message after the other: unpacking is asynchronous.
let last = Promise.resolve();
parentPort?.on('message', (message: ReaderMessage) => {
  last = handleAfter(last, message);
});
