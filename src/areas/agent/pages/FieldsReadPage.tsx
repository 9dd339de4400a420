import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { EyeOff, ScanSearch } from 'lucide-react';
import { useId, useMemo, useState } from 'react';
import type { FormEvent } from 'react';
import { toServiceError } from '../../../api/errors.ts';
import { addDays } from '../../../lib/dates/dates.ts';
import { pluralize } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { FieldFrame } from '../../../ui/form/FieldFrame.tsx';
import { Select } from '../../../ui/form/select/Select.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Card } from '../../../ui/layout/Card.tsx';
import { Timestamp } from '../../../ui/layout/Timestamp.tsx';
import { readCalls } from '../model/calls.ts';
import { collectFieldsRead } from '../model/fields-read.ts';
import type { AgentFieldsRead } from '../model/fields-read.ts';
import { agentKeysQuery, useSchemaNames } from '../model/queries.ts';
import type { SchemaNames } from '../model/queries.ts';
import '../panels/agent.css';

const route = getRouteApi('/_app/agent/seen');
const ENTRY_ID = /^[1-9]\d{0,9}$/;
const LEDGER_DAYS = 90;
/** Calls that are evaluated: the newest. */
const MAX_CALLS = 5000;

/** Fields of one entry that agents have read, by agent, with the first and last time. */
export function FieldsReadPage() {
  const { entry, agent } = route.useSearch();
  return (
    <>
      {/* Another entry replaces what is typed. */}
      <FieldsReadForm key={`${entry} ${agent}`} entry={entry} agent={agent} />
      {entry === undefined ? (
        <Card>
          <EmptyState icon={ScanSearch} title="Which fields of an entry have agents read?">
            Enter the id of an entry, which is the number at the end of its address. The ledger answers for
            the last 90 days, field by field, also for entries that were deleted.
          </EmptyState>
        </Card>
      ) : (
        <FieldsReadList entryId={entry} keyId={agent} />
      )}
    </>
  );
}

function FieldsReadForm({ entry, agent }: { entry: number | undefined; agent: number | undefined }) {
  const navigate = route.useNavigate();
  const id = useId();
  const { data: keys = [] } = useQuery(agentKeysQuery);
  const [text, setText] = useState(entry === undefined ? '' : String(entry));
  const [keyId, setKeyId] = useState(agent);
  const isValid = ENTRY_ID.test(text.trim());
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isValid)
      void navigate({
        to: '.',
        search: { entry: Number(text.trim()), ...(keyId !== undefined && { agent: keyId }) },
      });
  };
  return (
    <form className="agent-ask" onSubmit={submit}>
      <FieldFrame id={`${id}-entry`} noteId={undefined} label="Entry id">
        <input
          id={`${id}-entry`}
          className="input"
          inputMode="numeric"
          autoComplete="off"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </FieldFrame>
      <FieldFrame id={`${id}-agent`} noteId={undefined} label="Agent">
        <Select
          id={`${id}-agent`}
          label="Agent"
          labelledBy={`${id}-agent-label`}
          value={keyId ?? 0}
          onChange={(chosen) => setKeyId(chosen === 0 ? undefined : chosen)}
          options={[
            { value: 0, label: 'All agents' },
            ...keys.map((key) => ({ value: key.id, label: `${key.name}, ${key.userName}` })),
          ]}
        />
      </FieldFrame>
      <Button
        type="submit"
        variant="primary"
        disabledReason={isValid ? undefined : 'Enter the id of an entry first'}
      >
        Show
      </Button>
    </form>
  );
}

function FieldsReadList({ entryId, keyId }: { entryId: number; keyId: number | undefined }) {
  const names = useSchemaNames();
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: [{ _id: 'listAgentCalls', seen: { entryId, keyId } }],
    queryFn: ({ signal }) =>
      readCalls(
        {
          entryId,
          ...(keyId !== undefined && { keyId }),
          dateFrom: addDays(-LEDGER_DAYS).toISOString(),
        },
        MAX_CALLS,
        signal,
      ),
    staleTime: 0,
  });
  const agents = useMemo(() => data && collectFieldsRead(data, entryId), [data, entryId]);
  if (error)
    return (
      <Card>
        <ErrorState
          title="The ledger could not be read"
          onRetry={() => void refetch()}
          retrying={isFetching}
          requestId={toServiceError(error).requestId}
        >
          {toServiceError(error).message}
        </ErrorState>
      </Card>
    );
  if (!data || !agents)
    return (
      <Card>
        <SkeletonRows rows={6} />
      </Card>
    );
  const entryTypeId = data.find((call) => call.entryTypeId !== null)?.entryTypeId ?? undefined;
  if (agents.length === 0)
    return (
      <Card>
        <EmptyState icon={EyeOff} title={`No agent has seen entry ${entryId} in the last 90 days`}>
          For calls that read more than 1,000 entries, the ledger records the first 1,000.
        </EmptyState>
      </Card>
    );
  return (
    <>
      <h2>
        <EntryTitle {...{ entryId, entryTypeId, names }} />
      </h2>
      {agents.map((one) => (
        <AgentCard key={one.keyId} seen={one} names={names} />
      ))}
      <p className="agent-soft">
        For calls that read more than 1,000 entries, the ledger records the first 1,000.
        {data.length === MAX_CALLS && ' Only the newest 5,000 calls are evaluated here.'}
      </p>
    </>
  );
}

interface EntryTitleProps {
  entryId: number;
  entryTypeId: number | undefined;
  names: SchemaNames;
}

function EntryTitle({ entryId, entryTypeId, names }: EntryTitleProps) {
  const type = names.types.find(({ id }) => id === entryTypeId);
  if (!type) return <>Entry {entryId}</>;
  return (
    <Link to="/entries/$type/$entryId" params={{ type: type.apiName, entryId }}>
      {type.singularName} {entryId}
    </Link>
  );
}

function AgentCard({ seen, names }: { seen: AgentFieldsRead; names: SchemaNames }) {
  const { keyName, userName, calls, lastDate, fields, isFlagged } = seen;
  return (
    <Card
      title={keyName}
      actions={
        <span className="agent-soft">
          {isFlagged && <Badge tone="warn">Looks like an instruction</Badge>} for {userName},{' '}
          {pluralize(calls, 'call', 'calls')}, last <Timestamp at={lastDate} />
        </span>
      }
    >
      <div className="agent-table-scroll">
        <table className="agent-table">
          <caption className="visually-hidden">Fields that {keyName} has seen</caption>
          <thead>
            <tr>
              <th scope="col">Field</th>
              <th scope="col">Calls</th>
              <th scope="col">First seen</th>
              <th scope="col">Last seen</th>
            </tr>
          </thead>
          <tbody>
            {fields.map((field) => (
              <tr key={field.fieldId}>
                <th scope="row">{names.getFieldName(field.fieldId)}</th>
                <td className="num">{field.calls}</td>
                <td>
                  <Timestamp at={field.firstDate} />
                </td>
                <td>
                  <Timestamp at={field.lastDate} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  );
}
