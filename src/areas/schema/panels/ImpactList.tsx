import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import type {
  EntryTypeVm,
  InvalidEntries,
  SchemaChangeInfo,
  SchemaImpact,
  SchemaUse,
} from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import { readSchemaImpact } from '../../../api/generated/sdk/schema.gen.ts';
import { formatNumber } from '../../../lib/numbers.ts';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { readStoredTargets } from '../../entries/index.ts';
import type { Field, QueryObject, Schema } from '../../entries/index.ts';
import './impact.css';

/** The query must not follow each key. */
const TYPING_PAUSE_MS = 400;

/** The value once it has not changed for a moment. */
function usePaused<Value>(value: Value): Value {
  const [paused, setPaused] = useState(value);
  const text = JSON.stringify(value);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(JSON.parse(text) as Value), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return paused;
}

interface ImpactListProps {
  type: EntryTypeVm;
  /** Undefined for the type itself. */
  field: Field | undefined;
  schema: Schema;
  /** The changed properties; undefined for a deletion. */
  change: Pick<SchemaChangeInfo, 'field' | 'entryType'> | undefined;
  /** Query of the entries in which the changed field would lack its required value. */
  missingQuery?: QueryObject | undefined;
}

/** What a change or deletion of a field or type affects: what uses it, and entries that it concerns. */
export function ImpactList({ type, field, schema, change, missingQuery }: ImpactListProps) {
  const body: SchemaChangeInfo = {
    entryTypeId: type.id,
    ...(field && { fieldId: field.id }),
    ...change,
  };
  const settledBody = usePaused(body);
  const { data, error } = useQuery({
    queryKey: [{ _id: 'readSchemaImpact', body: settledBody }],
    queryFn: async ({ signal }) => (await readSchemaImpact({ body: settledBody, signal })).data,
    placeholderData: keepPreviousData,
    // Anybody may save a view or create a key at any time.
    staleTime: 0,
    retry: false,
  });
  if (error && !data)
    return (
      <section className="sch-impact" aria-label="What this affects">
        <p className="field-error">What this affects could not be read: {toServiceError(error).message}</p>
      </section>
    );
  if (!data) return null;
  return (
    <section className="sch-impact" aria-label="What this affects">
      <h3>What this affects</h3>
      <ImpactItems
        {...{ impact: data, type, field, schema, missingQuery }}
        isDeletion={change === undefined}
      />
    </section>
  );
}

interface ImpactItemsProps extends Omit<ImpactListProps, 'change'> {
  impact: SchemaImpact;
  isDeletion: boolean;
}

function ImpactItems({ impact, type, field, schema, missingQuery, isDeletion }: ImpactItemsProps) {
  const { uses, privateViews, filledEntries, invalidEntries } = impact;
  const isMapped =
    field !== undefined &&
    readStoredTargets(type.id).some(
      (key) => key.replace(/#.*/, '').toLowerCase() === field.apiName.toLowerCase(),
    );
  const isEmpty = uses.length === 0 && privateViews === 0 && !isMapped && invalidEntries.length === 0;
  return (
    <ul>
      {invalidEntries.map((entries) => (
        <li key={entries.reason}>
          <Badge tone="warn">{formatCount(entries)}</Badge>
          <span>
            <InvalidText {...{ entries, type, missingQuery }} />
          </span>
        </li>
      ))}
      {isDeletion && field && filledEntries.count > 0 && (
        <li>
          <Badge tone="bad">{formatCount(filledEntries)}</Badge>
          <span>
            <EntriesLink type={type} query={{ [field.apiName]: '$notNoData' }}>
              {filledEntries.count === 1 ? 'entry loses its value' : 'entries lose their value'}
            </EntriesLink>
          </span>
        </li>
      )}
      {uses.map((use) => (
        <li key={`${use.kind} ${use.id ?? ''}`}>
          <Badge tone={use.breaks ? 'bad' : 'neutral'}>{KIND_LABELS[use.kind]}</Badge>
          <span>
            <UseLink {...{ use, type, schema }} />
            {use.breaks ? ` – ${BREAK_TEXTS[use.kind]}` : ''}
          </span>
        </li>
      ))}
      {privateViews > 0 && (
        <li>
          <Badge>{formatNumber(privateViews)}</Badge>
          <span>{privateViews === 1 ? 'private view of another user' : 'private views of other users'}</span>
        </li>
      )}
      {isMapped && (
        <li>
          <Badge>Import</Badge>
          <span>
            <Link to="/entries/$type/import" params={{ type: type.apiName }} target="_blank">
              Columns assigned in this browser
            </Link>
          </span>
        </li>
      )}
      {isEmpty && <li>Nothing stored uses {field ? 'this field' : 'this type'}.</li>}
      <li className="sch-impact-note">
        Programs of others, and columns that others assigned in their browsers, are not known to the service.
      </li>
    </ul>
  );
}

const formatCount = ({ count, isComplete }: { count: number; isComplete: boolean }): string =>
  isComplete ? formatNumber(count) : `At least ${formatNumber(count)}`;

interface EntriesLinkProps {
  type: EntryTypeVm;
  query: QueryObject;
  children: ReactNode;
}

function EntriesLink({ type, query, children }: EntriesLinkProps) {
  return (
    <Link to="/entries/$type" params={{ type: type.apiName }} search={{ query }} target="_blank">
      {children}
    </Link>
  );
}

interface InvalidTextProps {
  entries: InvalidEntries;
  type: EntryTypeVm;
  missingQuery: QueryObject | undefined;
}

/** What the next save of the entries must do. */
function InvalidText({ entries: { reason, count }, type, missingQuery }: InvalidTextProps) {
  if (reason === 'choice')
    return <>{count === 1 ? 'value is' : 'values are'} a removed choice: the change is refused</>;
  if (reason === 'reference')
    return (
      <>
        {count === 1 ? 'entry refers' : 'entries refer'} to a type that is no longer allowed: writing the
        value again fails
      </>
    );
  const text = count === 1 ? 'entry has no required value' : 'entries have no required value';
  return (
    <>
      {missingQuery ? (
        <EntriesLink {...{ type }} query={missingQuery}>
          {text}
        </EntriesLink>
      ) : (
        text
      )}
      : they stay as they are, but a value can no longer be cleared, and new entries need one
    </>
  );
}

const KIND_LABELS: Readonly<Record<SchemaUse['kind'], string>> = {
  view: 'View',
  formula: 'Formula',
  condition: 'Condition',
  reference: 'Reference',
  import: 'Import',
  reportTemplate: 'Report template',
  topic: 'Topic',
  agentKey: 'Agent key',
};

const BREAK_TEXTS: Readonly<Record<SchemaUse['kind'], string>> = {
  view: 'its filter, order or columns name a field that no longer exists',
  formula: 'the deletion is refused',
  condition: 'the deletion is refused',
  reference: 'the deletion is refused',
  import: 'contacts are no longer linked',
  reportTemplate: 'its reports fail until it is adapted',
  topic: 'its messages no longer have the value under this name',
  agentKey: 'it can no longer read anything of this type',
};

interface UseLinkProps {
  use: SchemaUse;
  type: EntryTypeVm;
  schema: Schema;
}

/** Link to what uses the field or type. */
function UseLink({ use: { kind, id, name, entryTypeId }, type, schema }: UseLinkProps) {
  if (kind === 'import')
    return (
      <Link to="/imports/settings" target="_blank">
        Contacts of relationship imports
      </Link>
    );
  // Whoever may not list it cannot open it either.
  if (id === null || name === null) return <>One that you may not see</>;
  if (kind === 'view')
    return (
      <Link to="/entries/$type" params={{ type: type.apiName }} search={{ view: id }} target="_blank">
        <bdi>{name}</bdi>
      </Link>
    );
  if (kind === 'reportTemplate')
    return (
      <Link to="/reports/$templateId" params={{ templateId: id }} target="_blank">
        <bdi>{name}</bdi>
      </Link>
    );
  if (kind === 'topic')
    return (
      <Link to="/publications/topics/$topicId" params={{ topicId: id }} target="_blank">
        {name}
      </Link>
    );
  if (kind === 'agentKey')
    return (
      <Link to="/agent" target="_blank">
        <bdi>{name}</bdi>
      </Link>
    );
  const owner = schema.typeById.get(entryTypeId ?? type.id);
  return (
    <Link
      to="/entries/$type/schema"
      params={{ type: owner?.apiName ?? String(entryTypeId) }}
      search={kind === 'reference' ? {} : { field: id }}
      target="_blank"
    >
      <bdi>{name}</bdi>
      {owner && owner.id !== type.id && <> of {owner.pluralName}</>}
    </Link>
  );
}
