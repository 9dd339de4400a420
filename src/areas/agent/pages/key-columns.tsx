import type { AgentClient, AgentKey } from '../../../../contract/generated/types.gen.ts';
import { PersonLink } from '../../../directory/person-columns.tsx';
import { formatDistance, isPast, isWithinDays } from '../../../lib/dates/dates.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { formatPercent } from '../../../lib/percentages.ts';
import { cx } from '../../../ui/cx.ts';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Timestamp } from '../../../ui/layout/Timestamp.tsx';
import type { Column } from '../../../ui/table/columns.ts';
import { Tooltip } from '../../../ui/tooltip/Tooltip.tsx';
import { formatClientHost } from '../model/client-host.ts';

/** A key with the names of its entry types. */
export interface KeyRow extends AgentKey {
  allowedTypes: string;
}

const STATES = {
  Active: { tone: 'ok', label: 'Active' },
  Paused: { tone: 'warn', label: 'Paused' },
  Expired: { tone: 'neutral', label: 'Ended' },
  Revoked: { tone: 'neutral', label: 'Revoked' },
} as const;

/** Days before the end of a key in which it is marked. */
const ENDING_DAYS = 14;

/** When a key ends or ended: "in 61 days". */
export function KeyEnd({ agentKey, tabIndex }: { agentKey: AgentKey; tabIndex?: 0 | -1 }) {
  const { state, expiresDate, revokedDate } = agentKey;
  if (revokedDate !== null)
    return <Timestamp at={revokedDate} {...(tabIndex !== undefined && { tabIndex })} />;
  if (state === 'Expired' || isPast(expiresDate))
    return <Timestamp at={expiresDate} {...(tabIndex !== undefined && { tabIndex })} />;
  return (
    <span className={cx(isWithinDays(expiresDate, ENDING_DAYS) && 'agent-ending')}>
      {formatDistance(expiresDate)}
    </span>
  );
}

/** Calls of the current day, as a share of the budget if the key has one. */
export function CallBudget({ agentKey: { callsToday, callsPerDay } }: { agentKey: AgentKey }) {
  if (callsPerDay === null)
    return <span className="num">{pluralize(callsToday, 'call', 'calls')} today</span>;
  const share = Math.min(1, callsToday / callsPerDay);
  return (
    <span className="agent-budget">
      <progress className="agent-bar" max={callsPerDay} value={callsToday} aria-hidden />
      <span className="num">
        <b>{formatNumber(callsToday)}</b> of {formatNumber(callsPerDay)} calls, {formatPercent(share)}
      </span>
    </span>
  );
}

export const KEY_COLUMNS: readonly Column<KeyRow>[] = [
  {
    id: 'name',
    header: 'Agent',
    minWidth: 210,
    cell: ({ name }) => (
      <span className="agent-name" title={name}>
        {name}
      </span>
    ),
  },
  {
    id: 'state',
    header: 'State',
    width: 80,
    small: 'aside',
    cell: ({ state }) => <Badge tone={STATES[state].tone}>{STATES[state].label}</Badge>,
  },
  {
    id: 'for',
    header: 'For',
    minWidth: 150,
    small: 'line',
    cell: ({ userId, userName }, { tabIndex }) => (
      <PersonLink id={userId} name={userName} to="/users/$userId" tabIndex={tabIndex} />
    ),
  },
  {
    id: 'types',
    header: 'May read',
    minWidth: 130,
    cell: ({ allowedTypes }) => <span title={allowedTypes}>{allowedTypes}</span>,
  },
  {
    id: 'today',
    header: 'Today',
    width: 130,
    cell: ({ callsToday, callsPerDay }) => (
      <span className="num">
        {formatNumber(callsToday)}
        {callsPerDay === null ? '' : ` of ${formatNumber(callsPerDay)}`}{' '}
        {callsToday === 1 && callsPerDay === null ? 'call' : 'calls'}
      </span>
    ),
  },
  {
    id: 'used',
    header: 'Last use',
    width: 116,
    cell: ({ lastUsedDate }, { tabIndex }) =>
      lastUsedDate === null ? 'Never' : <Timestamp at={lastUsedDate} tabIndex={tabIndex} />,
  },
  {
    id: 'ends',
    header: 'Ends',
    width: 108,
    small: 'line',
    cell: (row, { tabIndex }) => <KeyEnd agentKey={row} tabIndex={tabIndex} />,
  },
];

/** Columns of connected clients: those of keys, with the host that stands for the client. */
export const CONNECTION_COLUMNS: readonly Column<KeyRow>[] = KEY_COLUMNS.filter(
  ({ id }) => id !== 'today',
).map((column) =>
  column.id === 'name'
    ? {
        ...column,
        header: 'Client',
        cell: ({ name, clientId }) => (
          <span className="agent-name" title={clientId ?? undefined}>
            {name} <small>{formatClientHost(clientId)}</small>
          </span>
        ),
      }
    : column,
);

export const CLIENT_COLUMNS: readonly Column<AgentClient>[] = [
  {
    id: 'client',
    header: 'Client',
    minWidth: 130,
    cell: ({ name, version, protocolVersion }, { tabIndex }) => (
      <Tooltip text={protocolVersion === '' ? 'States no protocol version' : `Protocol ${protocolVersion}`}>
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the tooltip must be available to the keyboard */}
        <span className="agent-name" tabIndex={tabIndex}>
          {name === '' ? 'Unnamed client' : name} <small>{version}</small>
        </span>
      </Tooltip>
    ),
  },
  {
    id: 'agent',
    header: 'Agent',
    minWidth: 140,
    small: 'line',
    cell: ({ keyName, userName }) => (
      <span title={`${keyName} for ${userName}`}>
        {keyName} <span className="agent-soft">for {userName}</span>
      </span>
    ),
  },
  {
    id: 'address',
    header: 'Address',
    width: 130,
    cell: ({ ipAddress }) => <span className="mono">{ipAddress}</span>,
  },
  {
    id: 'calls',
    header: 'Calls',
    width: 64,
    align: 'end',
    cell: ({ calls }) => formatNumber(calls),
  },
  {
    id: 'last',
    header: 'Last call',
    width: 116,
    small: 'aside',
    cell: ({ lastCallDate }, { tabIndex }) => <Timestamp at={lastCallDate} tabIndex={tabIndex} />,
  },
];
