import { Worker } from 'node:worker_threads';
import { type PieceEntry, PIECE_LIMITS, type PieceResult, type TypeDefinition } from './piece.ts';

/** A piece for the thread. */
export interface CalculatorRequest {
  /** Undefined when it is that of the previous piece. */
  definition: TypeDefinition | undefined;
  entries: readonly PieceEntry[];
  skippedFieldIds: ReadonlySet<number>;
}

export type CalculatorReply = PieceResult | { error: string };

/** Outcome of a piece: its result, or the calculation during which the thread had to be ended. */
type PieceOutcome =
  | PieceResult
  | { exceeded: 'time' | 'memory'; entryIndex: number; fieldId: number | undefined };

const WATCH_INTERVAL_MS = 100;
/** Wall-clock limit of a piece, for a thread that gets no processor time. */
const MAX_WAIT_MS = 30_000;
const NO_PROGRESS = -1;

/**
 * The worker thread of this process that calculates pieces. It is started with the first piece, and again after it had to be ended:
 * the limits of a piece apply between two calculations, and a single calculation that uses too much time or memory ends the thread.
 */
class Calculator {
  #worker: Worker | undefined;
  #definition: TypeDefinition | undefined;
  #previous: Promise<unknown> = Promise.resolve();
  readonly #progress = new Int32Array(new SharedArrayBuffer(8));

  /** Calculates a piece; pieces of concurrent callers run one after the other. @throws Error when the thread fails */
  calculate(
    definition: TypeDefinition,
    entries: readonly PieceEntry[],
    skippedFieldIds: ReadonlySet<number>,
  ): Promise<PieceOutcome> {
    const outcome = this.#previous.then(() => this.#run(definition, entries, skippedFieldIds));
    this.#previous = outcome.catch(() => undefined);
    return outcome;
  }

  async #run(
    definition: TypeDefinition,
    entries: readonly PieceEntry[],
    skippedFieldIds: ReadonlySet<number>,
  ): Promise<PieceOutcome> {
    const worker = this.#worker ?? this.#start();
    const reply = Promise.withResolvers<CalculatorReply | 'time' | 'memory'>();
    const onError = (error: Error) => {
      if ('code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') reply.resolve('memory');
      else reply.reject(error);
    };
    const onExit = () => reply.reject(new Error('The thread that calculates formulas ended'));
    worker.once('message', reply.resolve).once('error', onError).once('exit', onExit);
    worker.ref();
    Atomics.store(this.#progress, 0, NO_PROGRESS);
    const timer = this.#watch(worker, () => reply.resolve('time'));
    try {
      const isKnown = this.#definition === definition;
      const request = { definition: isKnown ? undefined : definition, entries, skippedFieldIds };
      worker.postMessage(request, []);
      this.#definition = definition;
      const result = await reply.promise;
      if (typeof result === 'string') {
        await this.#end(worker);
        return this.#describeExceeded(result, definition);
      }
      if ('error' in result) throw new Error(result.error);
      return result;
    } catch (error) {
      await this.#end(worker);
      throw error;
    } finally {
      clearInterval(timer);
      worker.off('message', reply.resolve).off('error', onError).off('exit', onExit);
      worker.unref();
    }
  }

  #start(): Worker {
    const worker = new Worker(new URL('./calculator-worker.ts', import.meta.url), {
      workerData: this.#progress.buffer,
      resourceLimits: { maxOldGenerationSizeMb: PIECE_LIMITS.memoryMb, maxYoungGenerationSizeMb: 16 },
    });
    // Without a listener an error between two pieces would end the process.
    worker.on('error', () => undefined);
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    this.#worker = worker;
    this.#definition = undefined;
    return worker;
  }

  async #end(worker: Worker): Promise<void> {
    this.#worker = undefined;
    await worker.terminate();
  }

  /** Calls `onTimeout` when one calculation has used the time of a whole piece. */
  #watch(worker: Worker, onTimeout: () => void): NodeJS.Timeout {
    const startedAtMs = performance.now();
    let last = { progress: '', usedMs: 0 };
    const check = async () => {
      const { user, system } = await worker.cpuUsage();
      const usedMs = (user + system) / 1_000;
      const progress = this.#progress.join(' ');
      if (progress !== last.progress) last = { progress, usedMs };
      const isRunning = Atomics.load(this.#progress, 0) !== NO_PROGRESS;
      if (isRunning && usedMs - last.usedMs > PIECE_LIMITS.timeMs) onTimeout();
      if (performance.now() - startedAtMs > MAX_WAIT_MS) onTimeout();
    };
    // A thread that has just ended does not answer.
    return setInterval(() => void check().catch(() => undefined), WATCH_INTERVAL_MS);
  }

  #describeExceeded(exceeded: 'time' | 'memory', { calculatedFieldIds }: TypeDefinition): PieceOutcome {
    const entryIndex = Math.max(Atomics.load(this.#progress, 0), 0);
    return { exceeded, entryIndex, fieldId: calculatedFieldIds[Atomics.load(this.#progress, 1)] };
  }
}

/** The calculator of this process. */
export const calculator = new Calculator();
