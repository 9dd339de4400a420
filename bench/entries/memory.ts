/** What the service holds while a program reads everything, page by page. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Measure } from '../bench.ts';
import type { Place } from './place.ts';

const PAGE = 1000;
const MB = 1024;
/** What the memory may grow by between the first tenth and the end. */
const LIMIT = 100;

/** Resident memory of the service, a child of this process, in megabytes. */
export async function resident(): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'ppid=,rss=,args=']);
  const mine = stdout.split('\n').find((line) => {
    const [parent, , ...args] = line.trim().split(/\s+/);
    return Number(parent) === process.pid && args.join(' ').includes('service/main.ts');
  });
  return Number(mine?.trim().split(/\s+/)[1]) / MB;
}

export async function memory(place: Place): Promise<Measure[]> {
  const held: number[] = [];
  const started = performance.now();
  const every = Math.max(PAGE, Math.floor(place.entries / 20));
  let read = 0;
  for (let skip = 0; skip < place.entries; skip += PAGE) {
    // A page after the other.
    const page = await place.rows({ orderBy: 'Name', limit: PAGE, skip });
    read += page.length;
    if (skip % every === 0) held.push(await resident());
  }
  const early = Math.max(...held.slice(0, 3));
  const late = Math.max(...held.slice(-3));
  return [
    { name: 'all rows page by page', ours: (performance.now() - started) / 1000, unit: 's' },
    { name: '  read', ours: read / MB / MB, unit: 'MB' },
    {
      name: '  memory at the end : at the beginning',
      ours: late,
      floor: early,
      unit: 'MB',
      maximum: early + LIMIT,
    },
  ];
}
