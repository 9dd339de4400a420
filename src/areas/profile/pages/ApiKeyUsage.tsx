import { useQuery } from '@tanstack/react-query';
import type { ApiKeyCalls, ApiKeyUsage } from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { usageQuery } from '../model/queries.ts';

/** Rows shown per table; the rest is summed up. */
const MAX_ROWS = 4;

const dayFormat = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const formatDay = (date: string): string => dayFormat.format(new Date(date));

/** Usage of the API key: calls of the last 30 days, and open tokens and streams (spec 5.3). */
export function KeyUsage() {
  const { data, error, refetch } = useQuery(usageQuery);
  if (error)
    return (
      <ErrorState title="The usage of the key could not be loaded" onRetry={() => void refetch()}>
        {toServiceError(error).message}
      </ErrorState>
    );
  return data ? <Usage usage={data} /> : <Skeleton width="70%" />;
}

function Usage({ usage }: { usage: ApiKeyUsage }) {
  const { calls, operations, addresses, agents } = usage;
  const open = formatOpenUses(usage);
  return (
    <section className="profile-use" aria-label="Usage of the key">
      <Banner tone={calls === 0 && open === undefined ? 'ok' : 'warn'}>
        {calls === 0
          ? 'No calls with this key in the last 30 days.'
          : `${pluralize(calls, 'call', 'calls')} in the last 30 days, from ${pluralize(addresses.length, 'address', 'addresses')}.`}{' '}
        {open ?? 'Nothing is open now.'}
        {formatUnavailable(usage)}
      </Banner>
      <CallsTable title="Calls by operation" rows={operations} />
      <CallsTable title="Calls by address" rows={addresses} />
      <CallsTable title="Calls by program" rows={agents} />
      {calls > 0 && <p className="profile-soft">Calls are counted per day and shown within two minutes.</p>}
    </section>
  );
}

/** Open tokens, streams and imports that would be interrupted; undefined if there are none. */
function formatOpenUses({ tokens, openStreams, runningImports }: ApiKeyUsage): string | undefined {
  const parts = [
    ...(tokens > 0 ? [pluralize(tokens, 'access token', 'access tokens')] : []),
    ...(openStreams ? [pluralize(openStreams, 'stream', 'streams')] : []),
    ...(runningImports ? [pluralize(runningImports, 'running import', 'running imports')] : []),
  ];
  return parts.length === 0 ? undefined : `Open now: ${parts.join(', ')}.`;
}

/** Names features that this service does not have; their count is null instead of zero. */
function formatUnavailable({ openStreams, runningImports }: ApiKeyUsage): string {
  const missing = [
    ...(openStreams === null ? ['streams of events'] : []),
    ...(runningImports === null ? ['imports of e-mails and meetings'] : []),
  ];
  return missing.length === 0 ? '' : ` This service has no ${missing.join(' and no ')} yet.`;
}

function CallsTable({ title, rows }: { title: string; rows: readonly ApiKeyCalls[] }) {
  if (rows.length === 0) return null;
  return (
    <table>
      <caption>{title}</caption>
      <thead className="visually-hidden">
        <tr>
          <th>Name</th>
          <th>Calls</th>
          <th>Last</th>
        </tr>
      </thead>
      <tbody>
        {rows.slice(0, MAX_ROWS).map(({ name, label, calls, lastDate }) => (
          <tr key={name}>
            <th scope="row">{label}</th>
            <td className="num">{formatNumber(calls)}</td>
            <td>{formatDay(lastDate)}</td>
          </tr>
        ))}
        {rows.length > MAX_ROWS && (
          <tr>
            <th scope="row">And {rows.length - MAX_ROWS} more</th>
            <td className="num">{formatNumber(sumCalls(rows.slice(MAX_ROWS)))}</td>
            <td>{formatLastDay(rows.slice(MAX_ROWS))}</td>
          </tr>
        )}
      </tbody>
    </table>
  );
}

const sumCalls = (rows: readonly ApiKeyCalls[]): number =>
  rows.reduce((total, { calls }) => total + calls, 0);

const formatLastDay = (rows: readonly ApiKeyCalls[]): string =>
  formatDay(rows.reduce((last, { lastDate }) => (lastDate > last ? lastDate : last), ''));
