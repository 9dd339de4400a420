/**
 * `npm run bench [name…]`: runs the benchmarks below and prints Markdown tables with the ratios. Options: `--users 1000000` and
 * `--entries 100000` set the size of the data (`npm run bench -- grid --entries 100000`), `--rows 1000000` that of exported files,
 * `--delay 5` adds 5 ms of network delay in each direction between service and database.
 */
import { cpus, loadavg, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import type { Bench, Measure } from './bench.ts';
import { bundle } from './console/bundle.ts';
import { csv } from './console/csv.ts';
import { directory } from './console/directory.ts';
import { directus } from './console/directus.ts';
import { grid, gridEmbedded } from './console/grid.ts';
import { pdf } from './console/pdf.ts';
import { planner } from './console/planner.ts';
import { entries, entriesEmbedded, entriesLoad } from './entries/entries.ts';
import { indexes } from './entries/indexes.ts';
import { activity } from './service/activity.ts';
import { agent } from './service/agent.ts';
import { audit } from './service/audit.ts';
import { backups, largeBackups, largeBackupsEmbedded } from './service/backups.ts';
import { bodies } from './service/bodies.ts';
import { cluster } from './service/cluster.ts';
import { exports } from './service/exports.ts';
import { http } from './service/http.ts';
import { imports, importsEmbedded } from './service/imports.ts';
import { jobs, jobsEmbedded } from './service/jobs.ts';
import { partitions } from './service/partitions.ts';
import { peopleReports } from './service/people-reports.ts';
import { publications } from './service/publications.ts';
import { relationshipIntelligence } from './service/relationship-intelligence.ts';
import { reports } from './service/reports.ts';
import { requests } from './service/requests.ts';
import { start } from './service/start.ts';
import { topicLock } from './service/topic-lock.ts';

const BENCHES: readonly Bench[] = [
  start,
  bundle,
  http,
  requests,
  topicLock,
  audit,
  bodies,
  csv,
  directory,
  activity,
  peopleReports,
  entriesLoad,
  entries,
  entriesEmbedded,
  indexes,
  grid,
  gridEmbedded,
  directus,
  backups,
  largeBackups,
  largeBackupsEmbedded,
  jobs,
  jobsEmbedded,
  exports,
  imports,
  importsEmbedded,
  relationshipIntelligence,
  planner,
  agent,
  reports,
  pdf,
  partitions,
  cluster,
  ...publications,
];

const formatNumber = (value: number, unit: string) =>
  `${value.toLocaleString('en', { maximumFractionDigits: value < 100 ? 1 : 0 })}${unit && ` ${unit}`}`;

function formatRow({ name, ours, floor, unit, maximum, minimum }: Measure): string {
  const floorText = floor === undefined ? '' : formatNumber(floor, unit);
  const ratio = floor ? `${(ours / floor).toFixed(2)} ×` : '';
  const bounds = [
    maximum !== undefined && formatNumber(maximum, unit) + (ours > maximum ? ' – missed' : ''),
    minimum !== undefined && `at least ${formatNumber(minimum, unit)}${ours < minimum ? ' – missed' : ''}`,
  ];
  const limits = bounds.filter((bound) => bound !== false).join(', ');
  return `| ${[name.trim(), formatNumber(ours, unit), floorText, ratio, limits].join(' | ')} |`;
}

/** Parses the option `--name`, a positive whole number. */
function parseCount(
  name: 'users' | 'entries' | 'rows' | 'delay',
  text: string | undefined,
): { [name]?: number } {
  if (text === undefined) return {};
  const value = Number(text);
  if (!(Number.isInteger(value) && value > 0)) throw new Error(`--${name} must be a positive whole number`);
  return { [name]: value };
}

const { values, positionals } = parseArgs({
  options: {
    users: { type: 'string' },
    entries: { type: 'string' },
    rows: { type: 'string' },
    delay: { type: 'string' },
  },
  allowPositionals: true,
});
const options = {
  ...parseCount('users', values.users),
  ...parseCount('entries', values.entries),
  ...parseCount('rows', values.rows),
  ...parseCount('delay', values.delay),
};
const requestedNames = positionals.map((name) => name.toLowerCase());
/** Benchmarks whose name starts with the text, or if there are none, those whose name contains it. */
function findBenches(part: string): readonly Bench[] {
  const begin = BENCHES.filter(({ name }) => name.toLowerCase().startsWith(part));
  return begin.length > 0 ? begin : BENCHES.filter(({ name }) => name.toLowerCase().includes(part));
}

const requestedBenches = new Set(requestedNames.flatMap(findBenches));
const benches = BENCHES.filter((bench) => requestedNames.length === 0 || requestedBenches.has(bench));
const BYTES_PER_GB = 1024 ** 3;
console.log(
  `Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model.trim()}, ${formatNumber(totalmem() / BYTES_PER_GB, 'GB')}`,
);
for (const bench of benches) {
  const reason = bench.getSkipReason?.();
  if (reason !== undefined) {
    console.log(`\n## ${bench.name}\n\nNot measured: ${reason}.`);
    continue;
  }
  const notes: string[] = [];
  const loadBefore = loadavg()[0] ?? 0;
  console.log(
    `\n## ${bench.name}\n\n| | ours | ${bench.peerName ?? 'floor'} | ratio | limit |\n|---|---|---|---|---|`,
  );
  try {
    for (const measure of await bench.run({ ...options, note: (text) => notes.push(text) }))
      console.log(formatRow(measure));
    notes.push(
      `Load average ${formatNumber(loadBefore, '')} before, ${formatNumber(loadavg()[0] ?? 0, '')} after.`,
    );
    console.log(`\n${notes.join(' ')}`);
  } catch (error) {
    console.log(`  failed: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
}
// A cluster started by this process would keep it alive.
process.exit();
