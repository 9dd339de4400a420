/** The service in its own process, as it runs in production. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { TestDatabase } from '../databases.ts';

interface LogRecord {
  message: string;
  /** ISO 8601. */
  time: string;
  address?: string;
}

export interface ServiceProcess {
  /** Address of the service: `http://127.0.0.1:PORT`. */
  address: string;
  child: ChildProcess;
  /** The first log record with this message, written or yet to be written. @throws Error when the process ends before */
  waitForRecord(message: string): Promise<LogRecord>;
  /** Exit code of the process. */
  exited: Promise<number | null>;
}

const isLogRecord = (value: unknown): value is LogRecord =>
  typeof value === 'object' && value !== null && 'message' in value && 'time' in value;

function parseRecord(line: string): LogRecord | undefined {
  if (!line.startsWith('{')) return undefined;
  const value: unknown = JSON.parse(line);
  return isLogRecord(value) ? value : undefined;
}

/** Starts the service on a free port and resolves when it listens. */
export async function startService(
  { databaseUrl, dataDir }: Pick<TestDatabase, 'databaseUrl' | 'dataDir'>,
  env: Readonly<Record<string, string>> = {},
): Promise<ServiceProcess> {
  const child = spawn(process.execPath, [fileURLToPath(new URL('../../main.ts', import.meta.url))], {
    env: {
      ...process.env,
      HOST: '127.0.0.1',
      PORT: '0',
      DATA_DIR: dataDir,
      DATABASE_URL: databaseUrl ?? '',
      STEWARD_SAMPLE: 'off',
      LOG_LEVEL: 'info',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit').then(([code]) => (typeof code === 'number' ? code : null));
  const records: LogRecord[] = [];
  const lines = createInterface(child.stdout);
  lines.on('line', (line) => {
    const record = parseRecord(line);
    if (record) records.push(record);
  });
  const closed = once(lines, 'close').then(() => undefined);
  const waitForRecord = async (message: string): Promise<LogRecord> => {
    for (;;) {
      const record = records.find((each) => each.message === message);
      if (record) return record;
      // The listener above was added first, so that the record is in the list when this resolves.
      const next = await Promise.race([once(lines, 'line'), closed]);
      if (!next && !records.some((each) => each.message === message))
        throw new Error(`The service ended without the record "${message}"`);
    }
  };
  const { address } = await waitForRecord('listening');
  if (address === undefined) throw new Error('The service did not report its address');
  return { address, child, waitForRecord, exited };
}
