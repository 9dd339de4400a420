import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ENTRY_ID } from '../../../../contract/rules/query/condition.ts';
import { ServiceError } from '../../../api/errors.ts';
import { usePermission } from '../../../api/session.ts';
import { getDuplicateNote } from '../../../files/import-plan/file-columns.ts';
import type { ReadOptions } from '../../../files/table.ts';
import { formatNumber } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import {
  ChooseFile,
  PrepareImport,
  Running,
  usePreparation,
  ColumnRow,
  FileSummary,
} from '../../import-view/index.ts';
import type { Prepared } from '../../import-view/index.ts';
import { useImportRun } from '../../import/index.ts';
import type { ImportDescription } from '../../import/index.ts';
import type { Field } from '../model/schema.ts';
import { useEntryType } from '../model/use-entry-type.ts';
import { RulesFields } from './RulesFields.tsx';
import { openSession } from './session.ts';
import type { EntryFileSession } from './session.ts';
import { saveSetup, resolveKey, createSetup } from './setup.ts';
import type { EntryImportSetup } from './setup.ts';
import { getIgnoredReason, getColumnTargets } from './targets.ts';

/** Page for importing entries of a type from a file. */
export function ImportPage() {
  const { allowed, reason } = usePermission('updateEntries');
  if (!allowed) throw new ServiceError(403, reason);
  return <EntryImport />;
}

const getFieldLabels = (fields: readonly Field[]) => ({
  [ENTRY_ID]: 'Entry id',
  ...Object.fromEntries(fields.map(({ apiName, name }) => [apiName, name])),
});

function useDescription(): ImportDescription {
  const { type, fields } = useEntryType();
  const words = ['entry', 'entries'] as const;
  const labels = getFieldLabels(fields);
  return {
    runKey: `entries:${type.id}`,
    typeId: type.id,
    nouns: words,
    labels,
    detailLabel: 'Entry',
    idHeading: ENTRY_ID,
  };
}

function EntryImport() {
  const { type, fields } = useEntryType();
  const description = useDescription();
  const run = useImportRun(description.runKey);
  const preparation = usePreparation<EntryFileSession, EntryImportSetup>(openSession, (file) =>
    createSetup(type.id, file, fields),
  );
  const page = { title: `Import ${type.pluralName}`, subject: type.singularName };
  if (run) return <Running run={run} {...page} onRetryFile={(file) => void preparation.open(file)} />;
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
  const { check, busy } = useCheck(prepared);
  const isNothing = prepared.setup.mapping.every((key) => key === undefined);
  const blocked = isNothing ? (
    <Banner tone="bad" title="Assign columns to fields">
      No column heading matches a field of this type. The first row of a file is its heading.
    </Banner>
  ) : undefined;
  return (
    <PrepareImport {...page} {...{ prepared, description, check, busy, blockedBy: blocked, onDiscard }}>
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
