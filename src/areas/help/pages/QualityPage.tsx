import { useEffect, useState } from 'react';
import { formatDistance, formatExactDate } from '../../../lib/dates/dates.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { StatTile, StatTiles } from '../../../ui/chart/StatTiles.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import type { Column } from '../../../ui/table/columns.ts';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { getPercentile, listPages, parseQualityReport, summarizeRequests } from '../model/quality.ts';
import '../help.css';
import type { JourneyResult, PageResult, QualityReport, RequestTimes } from '../model/quality.ts';

// Without the file the console is built without results, and says so.
const [DATA] = Object.values(
  import.meta.glob('../../../../docs/quality/results.json', { eager: true, import: 'default' }),
);
const REPORT = parseQualityReport(DATA);

/** Most that a page may move while it loads; the walk over all pages fails above it. */
const MAX_LAYOUT_SHIFT = 0.02;
const formatMs = (ms: number | undefined): string =>
  ms === undefined ? '' : `${formatNumber(Math.round(ms))} ms`;
const formatShift = (shift: number | undefined): string => (shift === undefined ? '' : shift.toFixed(4));

/** Results of the last accessibility, keyboard and loading checks, and the request times measured in this tab. */
export function QualityPage() {
  const requests = useRequestTimes();
  return (
    <Page title="Quality" meta={REPORT && `Checked ${formatDistance(REPORT.measuredAt)}`}>
      {REPORT ? (
        <Results report={REPORT} />
      ) : (
        <Card title="This build has no results">
          <CardBody>
            <p className="field-hint">
              The accessibility, keyboard and loading checks were not run for it. Run{' '}
              <code>npm run quality</code> before the build to include them.
            </p>
          </CardBody>
        </Card>
      )}
      <section className="quality-part" aria-labelledby="quality-requests">
        <h2 id="quality-requests">Requests of this tab</h2>
        <p className="field-hint">
          Measured by this browser since the tab was opened, at most the first 250 files and requests. The
          list of people is read by a background worker and not included.
          {requests.p95Ms !== undefined && ` 95% took at most ${formatMs(requests.p95Ms)}.`}
        </p>
        <DataTable
          label="Requests of this tab"
          columns={REQUEST_COLUMNS}
          rows={requests.parts}
          rowId={getRequestName}
          rowLabel={getRequestName}
          empty={<EmptyState title="No requests yet">Open another page first.</EmptyState>}
        />
      </section>
    </Page>
  );
}

const readRequestTimes = () => summarizeRequests(performance.getEntriesByType('resource'));

/** Times of the requests of this tab so far, updated as further ones end. Rows keep their place, and new ones follow. */
function useRequestTimes() {
  const [times, setTimes] = useState(readRequestTimes);
  useEffect(() => {
    const observer = new PerformanceObserver(() =>
      setTimes((shown) => {
        const next = readRequestTimes();
        const byName = new Map(next.parts.map((part) => [part.name, part]));
        const names = new Set([...shown.parts, ...next.parts].map(getRequestName));
        return { ...next, parts: [...names].flatMap((name) => byName.get(name) ?? []) };
      }),
    );
    observer.observe({ type: 'resource' });
    return () => observer.disconnect();
  }, []);
  return times;
}

function Results({ report }: { report: QualityReport }) {
  const { pages, keyboard, firefox } = report;
  const accessibleCount = pages.filter(({ isAccessible }) => isAccessible).length;
  const shifts = pages.flatMap(({ layoutShift }) => layoutShift ?? []);
  const times = pages.flatMap(({ readyMs }) => readyMs ?? []);
  return (
    <>
      <StatTiles areNotesBelow>
        <StatTile
          label="Without violations (axe)"
          value={`${formatNumber(accessibleCount)} of ${formatNumber(pages.length)}`}
          note="pages, in light, dark and at 390 px"
        />
        <StatTile
          label="Journeys by keyboard alone"
          value={`${formatNumber(countPassed(keyboard))} of ${formatNumber(keyboard.length)}`}
          note={keyboard.length === 0 ? 'not checked' : 'passed'}
        />
        <FirefoxTile firefox={firefox} />
        <StatTile
          label="Highest layout shift"
          value={shifts.length === 0 ? 'Not measured' : formatShift(Math.max(...shifts))}
          note={`limit ${MAX_LAYOUT_SHIFT}`}
        />
        <StatTile
          label="Page ready, 95th percentile"
          value={formatMs(getPercentile(times, 0.95)) || 'Not measured'}
          note={`median ${formatMs(getPercentile(times, 0.5))}`}
        />
      </StatTiles>
      <p className="field-hint">
        Measured with {report.browser} on {formatExactDate(report.measuredAt)} against the sample site, on the
        machine that ran the tests; times on other machines differ. The keyboard is checked in journeys over
        several screens, not screen by screen.
        {firefox && ` Pages and journeys ran again in ${firefox.browser}, without axe and times.`}
      </p>
      <DataTable
        label="Screens"
        columns={PAGE_COLUMNS}
        rows={listPages(report)}
        rowId={getPath}
        rowLabel={getPath}
        empty={<EmptyState title="No screens" />}
        footer={pluralize(pages.length, 'screen', 'screens')}
      />
      <Journeys title="Journeys by keyboard alone" journeys={keyboard} />
      {firefox && <Journeys title={`Journeys in ${firefox.browser}`} journeys={firefox.journeys} />}
    </>
  );
}

const countPassed = (results: readonly { passed: boolean }[]) =>
  results.filter(({ passed }) => passed).length;

/** How many pages and journeys work in Firefox. */
function FirefoxTile({ firefox }: { firefox: QualityReport['firefox'] }) {
  if (!firefox) return <StatTile label="Pages that work in Firefox" value="Not tried" />;
  const { pages, journeys } = firefox;
  return (
    <StatTile
      label="Pages that work in Firefox"
      value={`${formatNumber(countPassed(pages))} of ${formatNumber(pages.length)}`}
      note={`and ${formatNumber(countPassed(journeys))} of ${pluralize(journeys.length, 'journey', 'journeys')}`}
    />
  );
}

/** Journeys and whether they passed; nothing if none was run. */
function Journeys({ title, journeys }: { title: string; journeys: readonly JourneyResult[] }) {
  if (journeys.length === 0) return null;
  return (
    <Card title={title}>
      <CardBody>
        <ul className="quality-journeys">
          {journeys.map(({ name, passed }) => (
            <li key={name}>
              <Badge tone={passed ? 'ok' : 'bad'}>{passed ? 'Passed' : 'Failed'}</Badge> {name}
            </li>
          ))}
        </ul>
      </CardBody>
    </Card>
  );
}

const getPath = ({ path }: PageResult) => path;
const getRequestName = ({ name }: RequestTimes) => name;

const PAGE_COLUMNS: readonly Column<PageResult>[] = [
  { id: 'path', header: 'Screen', minWidth: 240, cell: ({ path }) => <span className="mono">{path}</span> },
  {
    id: 'accessible',
    header: 'Accessibility',
    width: 150,
    small: 'aside',
    cell: ({ isAccessible }) => (
      <Badge tone={isAccessible ? 'ok' : 'bad'}>{isAccessible ? 'No violations' : 'Failed'}</Badge>
    ),
  },
  {
    id: 'firefox',
    header: 'Firefox',
    width: 150,
    small: 'line',
    cell: ({ worksInFirefox }) =>
      worksInFirefox === undefined ? (
        'Not tried in Firefox'
      ) : (
        <Badge tone={worksInFirefox ? 'ok' : 'bad'}>
          {worksInFirefox ? 'Works in Firefox' : 'Fails in Firefox'}
        </Badge>
      ),
  },
  {
    id: 'shift',
    header: 'Layout shift',
    width: 120,
    align: 'end',
    small: 'line',
    cell: ({ layoutShift }) =>
      layoutShift !== undefined && layoutShift > MAX_LAYOUT_SHIFT ? (
        <Badge tone="bad">{formatShift(layoutShift)}</Badge>
      ) : (
        formatShift(layoutShift)
      ),
  },
  {
    id: 'ready',
    header: 'Ready after',
    width: 120,
    align: 'end',
    small: 'line',
    cell: ({ readyMs }) => formatMs(readyMs),
  },
];

const REQUEST_COLUMNS: readonly Column<RequestTimes>[] = [
  { id: 'name', header: 'Request', minWidth: 240, cell: ({ name }) => <span className="mono">{name}</span> },
  {
    id: 'count',
    header: 'Requests',
    width: 100,
    align: 'end',
    cell: ({ count }) => formatNumber(count),
  },
  {
    id: 'median',
    header: 'Median',
    width: 110,
    align: 'end',
    small: 'line',
    cell: ({ medianMs }) => formatMs(medianMs),
  },
  {
    id: 'p95',
    header: '95th percentile',
    width: 130,
    align: 'end',
    small: 'aside',
    cell: ({ p95Ms }) => formatMs(p95Ms),
  },
];
