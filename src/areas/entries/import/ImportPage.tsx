import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ServiceError } from '../../../api/errors.ts';
import { useAllowed } from '../../../api/session.ts';
import { ENTRY_ID } from '../export/headings.ts';
import { openSession } from './session.ts';
import type { EntriesSession } from './session.ts';
import { keepSetup, keyFor, setUp } from './setup.ts';
import type { Setup } from './setup.ts';
import type { Field } from '../model/schema.ts';
import { useType } from '../model/use-type.ts';
import { useImportRun } from '../../import/run.ts';
import type { About } from '../../import/keep.ts';
import { ChooseFile, Ready } from '../../import/view/Prepare.tsx';
import { Running } from '../../import/view/Running.tsx';
import type { Reading } from '../../../files/read-table.ts';
import { usePreparation } from '../../import/view/use-preparation.ts';
import type { Prepared } from '../../import/view/use-preparation.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { ignoredBecause, targetsOf } from './targets.ts';
import { twinWords } from '../../import/twin-words.ts';
import { ColumnRow } from '../../import/view/ColumnRow.tsx';
import { FileWords } from '../../import/view/FileWords.tsx';
import { count } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import { RulesFields } from './RulesFields.tsx';
import '../../import/view/import.css';

/** From a file to entries of a type: prepared here, then followed here or in the tray. */
export function ImportPage() {
  const { allowed, reason } = useAllowed('updateEntries');
  if (!allowed) throw new ServiceError(403, reason);
  return <Import />;
}

const labelsOf = (fields: readonly Field[]) => ({
  [ENTRY_ID]: 'Entry id',
  ...Object.fromEntries(fields.map(({ apiName, name }) => [apiName, name])),
});

function useAbout(): About {
  const { type, fields } = useType();
  const words = ['entry', 'entries'] as const;
  const labels = labelsOf(fields);
  return {
    place: `entries:${type.id}`,
    typeId: type.id,
    words,
    labels,
    detail: 'Entry',
    idHeading: ENTRY_ID,
  };
}

function Import() {
  const { type, fields } = useType();
  const about = useAbout();
  const run = useImportRun(about.place);
  const preparation = usePreparation<EntriesSession, Setup>(openSession, (file) =>
    setUp(type.id, file, fields),
  );
  const page = { title: `Import ${type.pluralName}`, subject: type.singularName };
  if (run) return <Running run={run} {...page} onAgain={(file) => void preparation.open(file)} />;
  const { stage } = preparation;
  if (stage.at !== 'ready')
    return (
      <ChooseFile
        preparation={preparation}
        title={page.title}
        meta="Create and change many from a file"
        row={`One of ${type.pluralName}`}
      />
    );
  const change = (part: Partial<Setup>) => {
    const next = { ...stage.setup, ...part };
    keepSetup(type.id, stage.file.headings, next);
    preparation.change(part);
  };
  return (
    <Prepare
      key={stage.id}
      prepared={stage}
      {...{ page, about }}
      onChange={change}
      onReadAs={(part) => void preparation.readAs(part)}
      onGiveUp={preparation.giveUp}
    />
  );
}

interface PrepareProps {
  prepared: Prepared<EntriesSession, Setup>;
  page: { title: string; subject: string };
  about: About;
  onChange: (part: Partial<Setup>) => void;
  onReadAs: (part: Reading) => void;
  onGiveUp: () => void;
}

function Prepare({ prepared, page, about, onChange, onReadAs, onGiveUp }: PrepareProps) {
  const { check, busy } = useCheck(prepared);
  const isNothing = prepared.setup.mapping.every((key) => key === undefined);
  const blocked = isNothing ? (
    <Banner tone="bad" title="Say which columns hold which fields">
      None of the columns is called as a field of this type is. The first row of a file is its heading.
    </Banner>
  ) : undefined;
  return (
    <Ready {...page} {...{ prepared, about, check, busy, blocked, onGiveUp }}>
      <ColumnsCard {...{ prepared, onChange, onReadAs, onGiveUp }} />
    </Ready>
  );
}

/** What would become of the rows; checked again when columns or rules change. */
function useCheck({ id, session, setup }: Prepared<EntriesSession, Setup>) {
  const { schema, type, fields } = useType();
  const [busy, setBusy] = useState<string>();
  const { mapping, rules } = setup;
  const question = { fields, mapping, rules, key: keyFor(setup, fields) };
  const check = useQuery({
    // The file and the answers stay in this tab: the key is its own.
    queryKey: ['import-check', id, question],
    queryFn: ({ signal }) => session.check({ schema, type, question }, setBusy, signal),
    enabled: mapping.some((key) => key !== undefined),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
  return { check, busy };
}

interface ColumnsCardProps {
  prepared: Prepared<EntriesSession, Setup>;
  onChange: (part: Partial<Setup>) => void;
  onReadAs: (part: Reading) => void;
  onGiveUp: () => void;
}

/** The second step: what each column of the file holds, and how its cells are meant. */
function ColumnsCard({ prepared, onChange, onReadAs, onGiveUp }: ColumnsCardProps) {
  const { fields } = useType();
  const { file, setup } = prepared;
  const { mapping } = setup;
  const targets = targetsOf(fields);
  const options = targets.map(({ key, label }) => (
    <option key={key} value={key}>
      {label}
    </option>
  ));
  const choose = (at: number, chosen: string) => {
    const key = chosen === '' ? undefined : chosen;
    // A field is in one column: choosing it takes it away from the other.
    onChange({ mapping: mapping.map((old, other) => (other === at ? key : old === key ? undefined : old)) });
  };
  return (
    <Card
      title="2. Columns"
      actions={
        <Button size="small" onClick={onGiveUp}>
          Choose another file
        </Button>
      }
    >
      <CardBody>
        <div className="import-columns-head">
          <FileWords
            {...{ prepared, onReadAs }}
            ignored={mapping.filter((key) => key === undefined).length}
          />
        </div>
        <ul className="import-columns">
          {file.headings.map((heading, at) => (
            // Columns have no identity but their place; headings may repeat.
            // oxlint-disable-next-line react/no-array-index-key
            <li key={at}>
              <ColumnRow
                heading={heading === '' ? `Column ${count(at + 1)}` : heading}
                note={
                  (mapping[at] === undefined
                    ? (ignoredBecause(heading, fields) ?? twinWords(file.headings, at))
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
