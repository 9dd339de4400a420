/** Processor time of the service and of its database, which can be compared between runs on a machine that also does other work. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { sum } from './bench.ts';

/** Seconds of processor time that processes have used so far. */
interface ProcessorTime {
  service: number;
  database: number;
}

interface ProcessInfo {
  id: number;
  parentId: number;
  commandLine: string;
  seconds: number;
  /** Time of children that have ended. */
  endedSeconds: number;
}

/** Positions in /proc/ID/stat after the name of the program. */
const STAT = { parentId: 1, user: 11, system: 12, endedUser: 13, endedSystem: 14 };

const getTicksPerSecond = (): number => Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** The processes of this machine; those that end meanwhile are left out. */
function listProcesses(): ProcessInfo[] {
  const ticksPerSecond = getTicksPerSecond();
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      const values = stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .map(Number);
      const read = (position: number) => values[position] ?? 0;
      return {
        id: Number(name),
        parentId: read(STAT.parentId),
        commandLine: readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' '),
        seconds: (read(STAT.user) + read(STAT.system)) / ticksPerSecond,
        endedSeconds: (read(STAT.endedUser) + read(STAT.endedSystem)) / ticksPerSecond,
      };
    } catch {
      return [];
    }
  });
}

const SERVICE = 'service/main.ts';

/**
 * Linux only: processor time of the service that this process started, and of the server of the database, 0 for the embedded one.
 * `script` names another program that counts as the service.
 */
export function measureProcessorTime(databaseUrl: string | undefined, script = SERVICE): ProcessorTime {
  const processes = listProcesses();
  const port = databaseUrl ? new URL(databaseUrl).port : undefined;
  const server = processes.find(
    ({ commandLine }) => /^\S*postgres /.test(commandLine) && commandLine.includes(`port=${port} `),
  );
  const backends = processes.filter(({ parentId }) => parentId === server?.id);
  return {
    service: sum(
      processes
        .filter(({ parentId, commandLine }) => parentId === process.pid && commandLine.includes(script))
        .map(({ seconds }) => seconds),
    ),
    database:
      (server ? server.seconds + server.endedSeconds : 0) + sum(backends.map(({ seconds }) => seconds)),
  };
}
