/**
 * `npm run bench [name…]`: measures and prints the ratios; what is measured stands in the list below.
 * `npm run bench -- directory --users 1000000` chooses how many people there are.
 */
import { parseArgs } from 'node:util';
import { activity } from './activity.ts';
import { backups } from './backups.ts';
import type { Bench, Measure } from './bench.ts';
import { bundle } from './bundle.ts';
import { csv } from './csv.ts';
import { directory } from './directory.ts';
import { entries, entriesEmbedded, entriesLoad } from './entries.ts';
import { http } from './http.ts';
import { start } from './start.ts';

const BENCHES: readonly Bench[] = [
  start,
  bundle,
  http,
  csv,
  directory,
  activity,
  entriesLoad,
  entries,
  entriesEmbedded,
  backups,
];

const number = (value: number) => value.toFixed(value < 100 ? 1 : 0).padStart(9);

function line({ name, ours, floor, unit, limit }: Measure): string {
  const ratio = floor ? `${(ours / floor).toFixed(2)} ×` : '';
  const beside = floor === undefined ? '' : `${number(floor)}  ${ratio}`;
  const over = limit !== undefined && ours > limit ? `  over ${limit}` : '';
  return `  ${name.padEnd(38)} ${number(ours)} ${unit.padEnd(4)} ${beside}${over}`;
}

const { values, positionals } = parseArgs({ options: { users: { type: 'string' } }, allowPositionals: true });
const users = values.users === undefined ? undefined : Number(values.users);
if (users !== undefined && !(Number.isInteger(users) && users > 0))
  throw new Error('--users: a whole number');
const wanted = positionals.map((name) => name.toLowerCase());
const chosen = BENCHES.filter(
  ({ name }) => wanted.length === 0 || wanted.some((part) => name.toLowerCase().includes(part)),
);
for (const bench of chosen) {
  console.log(
    `\n${bench.name.padEnd(40)} ${'ours'.padStart(9)}      ${(bench.beside ?? 'floor').padStart(11)}  ratio`,
  );
  try {
    for (const measure of await bench.run(users === undefined ? {} : { users })) console.log(line(measure));
  } catch (error) {
    console.log(`  failed: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
}
// A database of our own keeps this process alive as it lives no longer than this does.
process.exit();
