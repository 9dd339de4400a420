/** Worker thread that calculates pieces: formulas of users run neither in the thread nor in the memory of the service. */
import { parentPort, workerData } from 'node:worker_threads';
import type { CalculatorReply, CalculatorRequest } from './calculator.ts';
import { calculatePiece, compileDefinition } from './piece.ts';

const port = parentPort;
if (!port || !(workerData instanceof SharedArrayBuffer))
  throw new Error('calculator-worker.ts runs in a worker thread with a shared buffer for its progress');

const progress = new Int32Array(workerData);
const getTimeMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};
let fields: ReturnType<typeof compileDefinition> = [];

function handle({ definition, entries, skippedFieldIds }: CalculatorRequest): CalculatorReply {
  try {
    if (definition) fields = compileDefinition(definition);
    return calculatePiece(fields, entries, {
      skippedFieldIds,
      getTimeMs,
      onProgress: (entryIndex, fieldIndex) => {
        Atomics.store(progress, 1, fieldIndex);
        Atomics.store(progress, 0, entryIndex);
      },
    });
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

port.on('message', (request: CalculatorRequest) => port.postMessage(handle(request), []));
