/** Memory of the service while a program reads all rows, page by page. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Measure } from '../bench.ts';
import type { EntryService } from './entry-service.ts';

const PAGE_SIZE = 1000;
const KB_PER_MB = 1024;
/** Highest allowed memory growth in MB between the first samples and the last. */
const MAX_GROWTH_MB = 100;

/** Resident memory of the service, a child of this process, in MB. */
export async function measureResidentMb(): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'ppid=,rss=,args=']);
  const serviceLine = stdout.split('\n').find((line) => {
    const [parent, , ...args] = line.trim().split(/\s+/);
    return Number(parent) === process.pid && args.join(' ').includes('service/main.ts');
  });
  return Number(serviceLine?.trim().split(/\s+/)[1]) / KB_PER_MB;
}

export async function measureMemory(entryService: EntryService): Promise<Measure[]> {
  const samples: number[] = [];
  const started = performance.now();
  const sampleInterval = Math.max(PAGE_SIZE, Math.floor(entryService.entries / 20));
  let readBytes = 0;
  for (let skip = 0; skip < entryService.entries; skip += PAGE_SIZE) {
    // Sequential, as a program reads a list.
    const page = await entryService.queryRows({ orderBy: 'Name', limit: PAGE_SIZE, skip });
    readBytes += page.length;
    if (skip % sampleInterval === 0) samples.push(await measureResidentMb());
  }
  const early = Math.max(...samples.slice(0, 3));
  const late = Math.max(...samples.slice(-3));
  return [
    { name: 'all rows page by page', ours: (performance.now() - started) / 1000, unit: 's' },
    { name: '  data read', ours: readBytes / KB_PER_MB / KB_PER_MB, unit: 'MB' },
    {
      name: '  memory at the end : at the start',
      ours: late,
      floor: early,
      unit: 'MB',
      maximum: early + MAX_GROWTH_MB,
    },
  ];
}
