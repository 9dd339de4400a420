import { useQuery } from '@tanstack/react-query';
import { toServiceError } from '../../../api/errors.ts';
import type { ApiKeyCalls, ApiKeyUsage } from '../../../api/generated/types.gen.ts';
import { count, counted } from '../../../lib/numbers.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { usageQuery } from '../model/queries.ts';

/** Shows so many of each at first. */
const SHOWN = 4;

const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const dayOf = (date: string): string => day.format(new Date(date));

/** What uses the own key: its calls of the last 30 days, and what it has open now (spec 5.3). */
export function BlastRadius() {
  const { data, error, refetch } = useQuery(usageQuery);
  if (error)
    return (
      <ErrorState title="What uses the key is not known" onRetry={() => void refetch()}>
        {toServiceError(error).message}
      </ErrorState>
    );
  return data ? <Usage usage={data} /> : <Skeleton width="70%" />;
}

function Usage({ usage }: { usage: ApiKeyUsage }) {
  const { calls, operations, addresses, agents } = usage;
  const open = openNow(usage);
  return (
    <section className="profile-use" aria-label="What uses the key">
      <Banner tone={calls === 0 && open === undefined ? 'ok' : 'warn'}>
        {calls === 0
          ? 'Nothing has called with this key in the last 30 days.'
          : `${counted(calls, 'call', 'calls')} in the last 30 days, from ${counted(addresses.length, 'address', 'addresses')}.`}{' '}
        {open ?? 'Nothing is open with it now.'}
        {unbuilt(usage)}
      </Banner>
      <CallsTable title="Calls by operation" rows={operations} />
      <CallsTable title="From addresses" rows={addresses} />
      <CallsTable title="By programs" rows={agents} />
      {calls > 0 && <p className="profile-soft">Calls are counted by the day and told within two minutes.</p>}
    </section>
  );
}

/** What would be cut off in the middle; undefined for nothing. */
function openNow({ tokens, openStreams, runningImports }: ApiKeyUsage): string | undefined {
  const parts = [
    ...(tokens > 0 ? [counted(tokens, 'access token', 'access tokens')] : []),
    ...(openStreams ? [counted(openStreams, 'stream', 'streams')] : []),
    ...(runningImports ? [counted(runningImports, 'running import', 'running imports')] : []),
  ];
  return parts.length === 0 ? undefined : `Open now: ${parts.join(', ')}.`;
}

/** What this service does not have cannot be open, which is something else than none being open. */
function unbuilt({ openStreams, runningImports }: ApiKeyUsage): string {
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
        {rows.slice(0, SHOWN).map(({ name, label, calls, lastDate }) => (
          <tr key={name}>
            <th scope="row">{label}</th>
            <td className="num">{count(calls)}</td>
            <td>{dayOf(lastDate)}</td>
          </tr>
        ))}
        {rows.length > SHOWN && (
          <tr>
            <th scope="row">And {rows.length - SHOWN} more</th>
            <td className="num">{count(sum(rows.slice(SHOWN)))}</td>
            <td>{lastDay(rows.slice(SHOWN))}</td>
          </tr>
        )}
      </tbody>
    </table>
  );
}

const sum = (rows: readonly ApiKeyCalls[]): number => rows.reduce((total, { calls }) => total + calls, 0);

const lastDay = (rows: readonly ApiKeyCalls[]): string =>
  dayOf(rows.reduce((last, { lastDate }) => (lastDate > last ? lastDate : last), ''));
