import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Remote } from 'comlink';
import { useState } from 'react';
import { FIELD, holdsMoney } from '../../../../contract/rules/fields.ts';
import { ENTRY_ID } from '../../../../contract/rules/query/condition.ts';
import { ServiceError } from '../../../api/errors.ts';
import { startEntryImport } from '../../../api/generated/sdk/jobs.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { getDuplicateNote } from '../../../files/import-plan/file-columns.ts';
import type { ImportRowPlan, OutcomeCounts } from '../../../files/import-plan/plan.ts';
import type { ReadOptions } from '../../../files/table/table.ts';
import { formatNumber } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import {
  ChooseFile,
  PrepareImport,
  usePreparation,
  ColumnRow,
  FileSummary,
} from '../../import-view/index.ts';
import type { ImportTarget, Prepared, FileSession } from '../../import-view/index.ts';
import { openWorkerClient } from '../../import/index.ts';
import type { ImportDescription } from '../../import/index.ts';
import type { Field, Schema } from '../model/schema.ts';
import { useEntryType } from '../model/use-entry-type.ts';
import { useTimeZone } from '../model/zone.ts';
import type { CheckRequest } from './check-request.ts';
import { toImportItems } from './import-items.ts';
import { loadAllNames, loadAliases, loadEntriesByValues, loadUserNames, loadNames } from './look-up.ts';
import type { createRowChecker, MissingLookups } from './row-checker.ts';
import { canHold } from './row-references.ts';
import { saveSetup, resolveKey, createSetup, getAvailableKeys } from './setup.ts';
import type { EntryImportSetup, ParseRules } from './setup.ts';
import type { RowWork } from './stored-values.ts';
import { getIgnoredReason, getColumnTargets } from './targets.ts';
// The bundler makes this module.
// oxlint-disable-next-line import/default
import workerUrl from './worker.ts?worker&url';

/** Page for importing entries of a type from a file. */
export function ImportPage() {
  const { allowed, reason } = usePermission('startEntryImport');
  if (!allowed) throw new ServiceError(403, reason);
  return <EntryImport />;
}

const getFieldLabels = (fields: readonly Field[]) => ({
  [ENTRY_ID]: 'Entry id',
  ...Object.fromEntries(fields.map(({ apiName, name }) => [apiName, name])),
});

function useDescription(): ImportDescription {
  const { fields } = useEntryType();
  return { nouns: ['entry', 'entries'], labels: getFieldLabels(fields), detailLabel: 'Entry' };
}

/** The job that imports rows of entries of a type. */
const createTarget = (typeId: number, ignoreNearDups: boolean): ImportTarget => ({
  kind: 'entries.import',
  parameters: { typeId, ignoreNearDups },
  createUpload(plans) {
    // Rows planned for entries hold their work.
    const items = toImportItems(plans.map((plan) => plan as ImportRowPlan<RowWork>));
    return {
      items,
      async start(file) {
        // Rows that can be imported do not wait for those that others have changed in the meantime.
        const options = { uploadsItems: true, skipsInvalidRows: true, ignoreNearDups } as const;
        return (await startEntryImport({ body: { entryTypeId: typeId, ...file, ...options } })).data;
      },
    };
  },
});

function EntryImport() {
  const { type, fields } = useEntryType();
  const description = useDescription();
  const preparation = usePreparation<EntryFileSession, EntryImportSetup>(openSession, (file) =>
    createSetup(type.id, file, fields),
  );
  const page = { title: `Import ${type.pluralName}`, subject: type.singularName };
  const { stage } = preparation;
  if (stage.status !== 'ready')
    return (
      <ChooseFile
        preparation={preparation}
        title={page.title}
        meta="Create and change many records from a file"
        row={`One of ${type.pluralName}`}
      />
    );
  const change = (part: Partial<EntryImportSetup>) => {
    const next = { ...stage.setup, ...part };
    saveSetup(type.id, stage.file.headings, next);
    preparation.change(part);
  };
  return (
    <Prepare
      key={stage.id}
      prepared={stage}
      {...{ page, description }}
      onChange={change}
      onReadAs={(part) => void preparation.readAs(part)}
      onDiscard={preparation.discard}
    />
  );
}

interface PrepareProps {
  prepared: Prepared<EntryFileSession, EntryImportSetup>;
  page: { title: string; subject: string };
  description: ImportDescription;
  onChange: (part: Partial<EntryImportSetup>) => void;
  onReadAs: (part: ReadOptions) => void;
  onDiscard: () => void;
}

function Prepare({ prepared, page, description, onChange, onReadAs, onDiscard }: PrepareProps) {
  const { type } = useEntryType();
  const { check, busy } = useCheck(prepared);
  const target = createTarget(type.id, prepared.setup.rules.near === 'allow');
  const isNothing = prepared.setup.mapping.every((key) => key === undefined);
  const blocked = isNothing ? (
    <Banner tone="bad" title="Assign columns to fields">
      No column heading matches a field of this type. The first row of a file is its heading.
    </Banner>
  ) : undefined;
  return (
    <PrepareImport {...page} {...{ prepared, description, target, check, busy, blockedBy: blocked }}>
      <ColumnsCard {...{ prepared, onChange, onReadAs, onDiscard }} />
    </PrepareImport>
  );
}

/** Plans for the rows; updated when columns or rules change. */
function useCheck({ id, session, setup }: Prepared<EntryFileSession, EntryImportSetup>) {
  const { schema, type, fields } = useEntryType();
  const [busy, setBusy] = useState<string>();
  const { mapping, rules } = setup;
  const request = { fields, mapping, rules, key: resolveKey(setup, fields) };
  const check = useQuery({
    // The key is unique to this tab, which holds the file.
    queryKey: ['import-check', id, request],
    queryFn: ({ signal }) => session.check({ schema, type, request }, setBusy, signal),
    enabled: mapping.some((key) => key !== undefined),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
  return { check, busy };
}

interface ColumnsCardProps {
  prepared: Prepared<EntryFileSession, EntryImportSetup>;
  onChange: (part: Partial<EntryImportSetup>) => void;
  onReadAs: (part: ReadOptions) => void;
  onDiscard: () => void;
}

/** Second step: the target of each column and the parse rules. */
function ColumnsCard({ prepared, onChange, onReadAs, onDiscard }: ColumnsCardProps) {
  const { fields } = useEntryType();
  const { file, setup } = prepared;
  const { mapping } = setup;
  const targets = getColumnTargets(fields);
  const options = targets.map(({ key, label }) => (
    <option key={key} value={key}>
      {label}
    </option>
  ));
  const choose = (at: number, selected: string) => {
    const key = selected === '' ? undefined : selected;
    // A field belongs to one column, so it is removed from the other.
    onChange({ mapping: mapping.map((old, other) => (other === at ? key : old === key ? undefined : old)) });
  };
  return (
    <Card
      title="2. Columns"
      actions={
        <Button size="small" onClick={onDiscard}>
          Choose another file
        </Button>
      }
    >
      <CardBody>
        <div className="import-columns-head">
          <FileSummary
            {...{ prepared, onReadAs }}
            ignoredCount={mapping.filter((key) => key === undefined).length}
          />
        </div>
        <ul className="import-columns">
          {file.headings.map((heading, at) => (
            // Columns have no identity but their place; headings may repeat.
            // oxlint-disable-next-line react/no-array-index-key
            <li key={at}>
              <ColumnRow
                heading={heading === '' ? `Column ${formatNumber(at + 1)}` : heading}
                note={
                  (mapping[at] === undefined
                    ? (getIgnoredReason(heading, fields) ?? getDuplicateNote(file.headings, at))
                    : undefined) ??
                  file.samples[at] ??
                  ''
                }
                value={mapping[at] ?? ''}
                onChoose={(key) => choose(at, key)}
              >
                {options}
              </ColumnRow>
            </li>
          ))}
        </ul>
        <RulesFields {...{ prepared, onChange }} />
      </CardBody>
    </Card>
  );
}

interface RulesFieldsProps {
  prepared: Prepared<EntryFileSession, EntryImportSetup>;
  onChange: (part: Partial<EntryImportSetup>) => void;
}

/** Form of the parse rules; shows only rules relevant to the columns. */
function RulesFields({ prepared, onChange }: RulesFieldsProps) {
  const { type, fields } = useEntryType();
  const { site, own } = useTimeZone();
  const { file, setup } = prepared;
  const { mapping, rules } = setup;
  const set = (part: Partial<ParseRules>) => onChange({ rules: { ...rules, ...part } });
  const inFile = fields.filter(({ apiName }) => mapping.includes(apiName));
  const hasNumbers =
    file.source.kind === 'text' &&
    inFile.some((field) => field.fieldType === FIELD.number || holdsMoney(field));
  const dates = inFile.filter(({ fieldType }) => fieldType === FIELD.date);
  const keys = getAvailableKeys(mapping, fields);
  const key = resolveKey(setup, fields);
  const namesEntries = inFile.some((field) => canHold(field, type.id));
  const nameOf = (one: string) => fields.find(({ apiName }) => apiName === one)?.name ?? 'Entry id';
  return (
    <>
      <div className="import-rules">
        <SelectChoice
          label="Match entries by"
          value={key}
          onChoose={(selected) => onChange({ key: selected })}
          options={[
            ...keys.map((one) => [one, nameOf(one)] as const),
            ['', 'None: every row is a new entry'],
          ]}
        />
        <SelectChoice
          label="Empty cells"
          value={rules.empty}
          onChoose={(empty) => set({ empty })}
          options={[
            ['keep', 'Change nothing'],
            ['clear', 'Clear the field'],
          ]}
        />
        {hasNumbers && (
          <SelectChoice
            label="Decimal separator"
            value={rules.decimal}
            onChoose={(decimal) => set({ decimal })}
            options={[
              ['point', 'Point: 1,234.5'],
              ['comma', 'Comma: 1.234,5'],
            ]}
          />
        )}
        {dates.length > 0 && (
          <SelectChoice
            label="3/4/2026 is"
            value={rules.dates}
            onChoose={(order) => set({ dates: order })}
            options={[
              ['dmy', '3 April'],
              ['mdy', '4 March'],
            ]}
          />
        )}
        {dates.some(({ isDateOnly }) => !isDateOnly) && (
          <SelectChoice
            label="Time zone of times without an offset"
            value={rules.zone}
            onChoose={(zone) => set({ zone })}
            options={[...new Set(['UTC', site, own, rules.zone])].map((zone) => [zone, zone])}
          />
        )}
        <SelectChoice
          label="Possible duplicates"
          value={rules.near}
          onChoose={(near) => set({ near })}
          options={[
            ['refuse', 'Skip and report'],
            ['allow', 'Import anyway'],
          ]}
        />
      </div>
      <p className="field-hint">
        Choices, users and entries are matched by name or id; separate several with semicolons. Dates that
        begin with the year are always recognized.
        {namesEntries &&
          ` Other rows of the file can be referenced too, by their names${key === '' || key === ENTRY_ID ? '' : ` or by ${nameOf(key)}`}; their order does not matter.`}
        {rules.near === 'refuse' &&
          (type.entryCount ?? 0) > MAX_NAMES_TO_COMPARE &&
          ` Of the ${formatNumber(type.entryCount ?? 0)} stored names, possible duplicates are found only when a row is imported.`}
      </p>
    </>
  );
}

interface ChoiceProps<Value extends string> {
  label: string;
  value: Value;
  options: readonly (readonly [value: Value, label: string])[];
  onChoose: (value: Value) => void;
}

function SelectChoice<Value extends string>({ label, value, options, onChoose }: ChoiceProps<Value>) {
  return (
    <label className="import-rule">
      <span className="field-label">{label}</span>
      <select
        className="input"
        value={value}
        onChange={({ target }) => {
          const selected = options.find(([one]) => one === target.value);
          if (selected) onChoose(selected[0]);
        }}
      >
        {options.map(([one, words]) => (
          <option key={one} value={one}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}

type RowChecker = ReturnType<typeof createRowChecker>;

/** For types with more entries only the service finds near-duplicates. */
const MAX_NAMES_TO_COMPARE = 100_000;

/** Input of a check. */
interface CheckInput {
  schema: Schema;
  type: { id: number; entryCount?: number | undefined };
  request: CheckRequest;
}

/** Connection to the worker that holds a file of entries. */
interface EntryFileSession extends FileSession {
  /** Checks all rows and reports the current step. */
  check: (
    against: CheckInput,
    report: (doing: string) => void,
    signal: AbortSignal,
  ) => Promise<OutcomeCounts>;
}

function openSession(): EntryFileSession {
  const { desk, open, close, runExclusive } =
    openWorkerClient<ReturnType<typeof createRowChecker>>(workerUrl);

  async function check(against: CheckInput, report: (doing: string) => void): Promise<OutcomeCounts> {
    const needs = await desk.getMissingLookups(against.request);
    try {
      await sendLookups(desk, needs, against, report);
    } catch (thrown) {
      await desk.clearLookups();
      throw thrown;
    }
    report('Checking every row…');
    return desk.check(against.request);
  }

  return {
    client: desk,
    open,
    close,
    check: (against, report, signal) => runExclusive(() => check(against, report), signal),
  };
}

// One after the other: the service and the page are kept free for others.
async function sendLookups(
  checker: Remote<RowChecker>,
  needs: MissingLookups,
  { schema, type, request }: CheckInput,
  report: (doing: string) => void,
): Promise<void> {
  if (needs.users) {
    report('Loading users…');
    await checker.setUsers(await loadUserNames());
  }
  for (const { types, ids, names, keys } of needs.references) {
    if (ids.length + names.length > 0) report('Looking up references…');
    for (const typeId of types.length === 0 ? schema.types.map(({ id }) => id) : types)
      for await (const things of loadNames(schema, typeId, { ids, names }))
        await checker.addReferences(types, things);
    for await (const things of loadAliases(schema, type.id, request.key, keys))
      await checker.addReferences(types, things);
  }
  if (needs.keys.length > 0) {
    report('Looking up existing entries…');
    for await (const rows of loadEntriesByValues(type.id, request.key, needs.keys, needs.comparedFields))
      await checker.addEntries(rows, request);
  }
  if (!needs.names) return;
  await checker.addNames([]);
  if ((type.entryCount ?? 0) > MAX_NAMES_TO_COMPARE) return;
  report('Loading existing names…');
  for await (const names of loadAllNames(schema, type.id)) await checker.addNames(names);
}
