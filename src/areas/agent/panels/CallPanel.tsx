import { Link } from '@tanstack/react-router';
import type { AgentCall } from '../../../../contract/generated/types.gen.ts';
import { formatExactDate } from '../../../lib/dates/dates.ts';
import { formatNumber } from '../../../lib/numbers.ts';
import { formatSize } from '../../../lib/sizes.ts';
import { Panel } from '../../../ui/dialog/Panel.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { Fact, Facts } from '../../../ui/layout/Card.tsx';
import { describeCall } from '../model/describe-call.ts';
import type { SchemaNames } from '../model/queries.ts';
import { CodeBlock } from './CodeBlock.tsx';
import './agent.css';

/** Entries that are listed; the file of the ledger has all. */
const MAX_LISTED_ENTRIES = 100;

interface CallPanelProps {
  call: AgentCall;
  names: SchemaNames;
  onClose: () => void;
}

/** Panel with everything the ledger holds of a call. */
export function CallPanel({ call, names, onClose }: CallPanelProps) {
  const { outcome, keyName, userName, tool, entryTypeId, fieldIds, flags, rows, bytes } = call;
  const type = names.types.find(({ id }) => id === entryTypeId)?.apiName;
  return (
    <Panel title={describeCall(call, names)} onClose={onClose}>
      <div className="agent-panel">
        {flags.length > 0 && (
          <Banner tone="warn" title="Read text that looks like an instruction">
            The agent got it unchanged. Look at the field, and at what the agent did next.
            <ul className="agent-flags">
              {flags.map(({ entryId, fieldId }) => (
                <li key={`${entryId} ${fieldId}`}>
                  {names.getFieldName(fieldId)} of <EntryLink type={type} entryId={entryId} />
                </li>
              ))}
            </ul>
          </Banner>
        )}
        {outcome !== 'Ok' && call.message !== null && <Banner tone="bad">{call.message}</Banner>}
        <Facts>
          <Fact label="Time">{formatExactDate(call.date)}</Fact>
          <Fact label="Agent">{keyName}</Fact>
          <Fact label="For">{userName}</Fact>
          <Fact label="Client">{`${call.clientName} ${call.clientVersion}`.trim() || 'Not stated'}</Fact>
          <Fact label="Address">{call.ipAddress}</Fact>
          <Fact label="Result">
            {formatNumber(rows)} {rows === 1 ? 'row' : 'rows'}, {formatSize(bytes)},{' '}
            {formatNumber(Math.round(call.durationMs))} ms
          </Fact>
          {call.asOf !== null && <Fact label="State of">{formatExactDate(call.asOf)}</Fact>}
          <Fact label="Fields">{fieldIds.map(names.getFieldName).join(', ') || 'None'}</Fact>
          <Fact label="Entries">
            <EntryLinks {...{ call, type }} />
          </Fact>
        </Facts>
        <CodeBlock
          title={`Arguments of ${tool}`}
          text={JSON.stringify(call.arguments, undefined, 2)}
          copyLabel="Copy arguments"
        />
      </div>
    </Panel>
  );
}

function EntryLink({ type, entryId }: { type: string | undefined; entryId: number }) {
  if (type === undefined) return <>entry {entryId}</>;
  return (
    <Link to="/entries/$type/$entryId" params={{ type, entryId }}>
      entry {entryId}
    </Link>
  );
}

function EntryLinks({ call: { entryIds, keyId } }: { call: AgentCall; type: string | undefined }) {
  if (entryIds.length === 0) return <>None</>;
  const more = entryIds.length - MAX_LISTED_ENTRIES;
  return (
    <span className="agent-ids num">
      {entryIds.slice(0, MAX_LISTED_ENTRIES).map((entryId) => (
        <Link
          key={entryId}
          to="/agent/seen"
          search={{ entry: entryId, agent: keyId }}
          aria-label={`Fields read of entry ${entryId}`}
        >
          {entryId}
        </Link>
      ))}
      {more > 0 && <span>and {formatNumber(more)} more</span>}
    </span>
  );
}
