import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { SchemaExtension } from '../../../../contract/generated/types.gen.ts';
import { ENTRY_ID } from '../../../../contract/rules/query/condition.ts';
import { ServiceError } from '../../../api/errors.ts';
import { extendSchemaMutation } from '../../../api/generated/queries/schema.gen.ts';
import { startEntryImport } from '../../../api/generated/sdk/jobs.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import type { ImportRowPlan } from '../../../files/import-plan/plan.ts';
import type { ReadOptions } from '../../../files/table/table.ts';
import { pluralize } from '../../../lib/numbers.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { ChooseFile, PrepareImport, usePreparation } from '../../import-view/index.ts';
import type { ImportTarget, ImportUpload, Prepared } from '../../import-view/index.ts';
import type { ImportDescription } from '../../import/index.ts';
import { useReloadSchema, useSchema } from '../model/schema.ts';
import type { Field } from '../model/schema.ts';
import { useEntryType } from '../model/use-entry-type.ts';
import { ColumnsCard, formatCreated } from './Columns.tsx';
import type { ImportSubject, SchemaErrors } from './Columns.tsx';
import { toImportItems, toStoredColumns } from './import-items.ts';
import {
  buildExtension,
  findNewFieldErrors,
  findTotalError,
  findTypeErrors,
  listChoiceColumns,
  pickNames,
  planSchema,
  replaceNewIds,
} from './new-fields.ts';
import type { SchemaPlan } from './new-fields.ts';
import { openSession } from './session.ts';
import type { EntryFileSession } from './session.ts';
import { createSetup, createTypeSetup, resolveKey, saveSetup } from './setup.ts';
import type { EntryImportSetup } from './setup.ts';
import type { RowWork } from './stored-values.ts';

type PreparedEntries = Prepared<EntryFileSession, EntryImportSetup>;

/** Page for importing entries of a type from a file. */
export function ImportPage() {
  const { allowed, reason } = usePermission('startEntryImport');
  if (!allowed) throw new ServiceError(403, reason);
  return <EntryImport subject={useEntryType()} />;
}

/** Page that makes an entry type, its fields and its entries from one file. */
export function NewTypePage() {
  const { allowed, reason } = usePermission('startEntryImport');
  const extension = usePermission('extendSchema');
  if (!extension.allowed) throw new ServiceError(403, extension.reason);
  if (!allowed) throw new ServiceError(403, reason);
  const schema = useSchema();
  // Set once the type exists: its rows are then imported like those of any type.
  const [typeId, setTypeId] = useState<number>();
  const type = typeId === undefined ? undefined : schema.typeById.get(typeId);
  const fields = type ? schema.getFields(type.id) : NO_FIELDS;
  return <EntryImport subject={{ schema, type, fields }} onTypeCreated={setTypeId} />;
}

const NO_FIELDS: readonly Field[] = [];

const getFieldLabels = (fields: readonly Field[]) => ({
  [ENTRY_ID]: 'Entry id',
  ...Object.fromEntries(fields.map(({ apiName, name }) => [apiName, name])),
});

const describe = (fields: readonly Field[]): ImportDescription => ({
  nouns: ['entry', 'entries'],
  labels: getFieldLabels(fields),
  detailLabel: 'Entry',
});

/** Upload of rows to a type that exists. The job keeps the cells of the file, for the file of failed rows. */
function createUpload(
  typeId: number,
  ignoreNearDups: boolean,
  rows: readonly ImportRowPlan<RowWork>[],
  headings: readonly string[],
): ImportUpload {
  const columns = toStoredColumns(headings);
  return {
    items: toImportItems(rows, columns !== undefined),
    parameters: { typeId, ignoreNearDups },
    async start(file) {
      // Rows that can be imported do not wait for those that others have changed in the meantime.
      const options = { uploadsItems: true, skipsInvalidRows: true, ignoreNearDups } as const;
      const body = { entryTypeId: typeId, ...file, ...(columns && { columns }), ...options };
      return (await startEntryImport({ body })).data;
    },
  };
}

interface EntryImportProps {
  subject: ImportSubject;
  onTypeCreated?: (typeId: number) => void;
}

function EntryImport({ subject, onTypeCreated }: EntryImportProps) {
  const { schema, type, fields } = subject;
  const preparation = usePreparation<EntryFileSession, EntryImportSetup>(
    () => openSession(schema),
    (file, session, fileName) =>
      type
        ? createSetup(type.id, file, fields, session.getGuesses())
        : createTypeSetup(file, session.getGuesses(), fileName),
  );
  const { stage } = preparation;
  if (stage.status !== 'ready')
    return (
      <ChooseFile
        preparation={preparation}
        title={type ? `Import ${type.pluralName}` : 'New type from a file'}
        meta={
          type
            ? 'Create and change many records from a file'
            : 'Create an entry type with its fields and entries from one file'
        }
        row={`One ${type?.singularName ?? 'entry'}`}
      />
    );
  const change = (part: Partial<EntryImportSetup>, typeId = type?.id) => {
    const next = { ...stage.setup, ...part };
    if (typeId !== undefined) saveSetup(typeId, stage.file.headings, next);
    preparation.change(part);
  };
  return (
    <Prepare
      key={stage.id}
      prepared={stage}
      subject={subject}
      onChange={change}
      onCreated={({ entryType }, part) => {
        onTypeCreated?.(entryType.id);
        change(part, entryType.id);
      }}
      onReadAs={(part) => void preparation.readAs(part)}
      onDiscard={preparation.discard}
    />
  );
}

interface PrepareProps {
  prepared: PreparedEntries;
  subject: ImportSubject;
  onChange: (part: Partial<EntryImportSetup>) => void;
  /** Called with the setup that names what was created. */
  onCreated: (created: SchemaExtension, part: Partial<EntryImportSetup>) => void;
  onReadAs: (part: ReadOptions) => void;
  onDiscard: () => void;
}

function Prepare({ prepared, subject, onChange, onCreated, onReadAs, onDiscard }: PrepareProps) {
  const { type, fields, schema } = subject;
  const { setup } = prepared;
  const { newType, newFields, rules } = setup;
  const { plan, isComplete } = useSchemaPlan(prepared, subject);
  const { check, busy } = useCheck(prepared, subject, isComplete ? plan : undefined);
  const { create, createdText, isCreating } = useCreate(prepared, subject, onCreated);
  // The schema is read again before the setup changes: names that were just created are no duplicates.
  const errors: SchemaErrors = isCreating
    ? NO_ERRORS
    : {
        columns: findNewFieldErrors(newFields, fields),
        type: newType ? findTypeErrors(newType, schema.types) : {},
      };
  const ignoreNearDups = rules.near === 'allow';
  const target: ImportTarget = {
    kind: 'entries.import',
    async createUpload(plans) {
      // Rows planned for entries hold their work.
      const rows = plans.map((row) => row as ImportRowPlan<RowWork>);
      const extension = plan && buildExtension(plan, rows, type ?? newType ?? NO_TYPE);
      const created = plan && extension && (await create(extension, plan));
      const typeId = created?.entryType.id ?? type?.id ?? 0;
      const work = created ? replaceNewIds(rows, plan, created) : rows;
      return createUpload(typeId, ignoreNearDups, work, prepared.file.headings);
    },
  };
  return (
    <PrepareImport
      title={type ? `Import ${type.pluralName}` : 'New type from a file'}
      subject={type?.singularName ?? newType?.singularName ?? ''}
      description={describe(plan?.fields ?? fields)}
      creates={plan && formatCreated(plan, newType)}
      blockedBy={plan && findBlock(plan, errors, newType !== undefined)}
      {...{ prepared, target, check, busy }}
    >
      {createdText !== undefined && (
        <Banner tone="ok" title={createdText}>
          They exist, whether or not the rows are imported.
        </Banner>
      )}
      {plan && <ColumnsCard {...{ subject, plan, errors, prepared, onChange, onReadAs, onDiscard }} />}
    </PrepareImport>
  );
}

const NO_ERRORS: SchemaErrors = { columns: new Map(), type: {} };

const NO_TYPE = { apiName: '', singularName: '', pluralName: '' };

/** Why the rows cannot be checked yet. */
function findBlock({ mapping, created }: SchemaPlan, errors: SchemaErrors, isNewType: boolean) {
  const totalError = findTotalError({ created });
  if (totalError !== undefined)
    return (
      <Banner tone="bad" title="Choose fewer fields">
        {totalError}
      </Banner>
    );
  if (errors.columns.size > 0 || Object.keys(errors.type).length > 0)
    return (
      <Banner tone="bad" title="Correct the names">
        The entry type or a new field cannot be created as it is.
      </Banner>
    );
  if (mapping.every((key) => key === undefined))
    return (
      <Banner tone="bad" title="Assign columns to fields">
        No column heading matches a field of this type. The first row of a file is its heading.
      </Banner>
    );
  if (isNewType && !created.some(({ field }) => field.isKey))
    return (
      <Banner tone="bad" title="Choose the column that names the entries">
        Set the kind of one column to “Name of the entry”.
      </Banner>
    );
  return undefined;
}

/**
 * The fields and choices that the import needs; undefined until the names of choices were read from the file, and not complete until
 * those of all columns were.
 */
function useSchemaPlan(
  { id, session, setup }: PreparedEntries,
  { type, fields }: ImportSubject,
): { plan: SchemaPlan | undefined; isComplete: boolean } {
  const { mapping, newFields, rules } = setup;
  const { allowed } = usePermission('extendSchema');
  const columns = listChoiceColumns({ fields, mapping, newFields });
  const { data, isPlaceholderData } = useQuery({
    queryKey: ['import-names', id, columns],
    queryFn: async () =>
      (await session.listNames(columns)).flatMap((names, index) => {
        const column = columns[index];
        return column ? [{ ...column, names }] : [];
      }),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
  if (!data) return { plan: undefined, isComplete: false };
  const names = pickNames(columns, data);
  const addsChoices = allowed && rules.choices === 'add';
  return {
    plan: planSchema({ typeId: type?.id ?? 0, fields, mapping, newFields, names, addsChoices }),
    isComplete: !isPlaceholderData,
  };
}

/** Plans for the rows; updated when columns or rules change. */
function useCheck(
  { id, session, setup }: PreparedEntries,
  { schema, type, fields }: ImportSubject,
  plan: SchemaPlan | undefined,
) {
  const [busy, setBusy] = useState<string>();
  const { rules } = setup;
  const request = {
    fields: plan?.fields ?? [],
    mapping: plan?.mapping ?? [],
    rules,
    key: resolveKey(setup, fields),
  };
  const check = useQuery({
    // The key is unique to this tab, which holds the file.
    queryKey: ['import-check', id, request],
    queryFn: ({ signal }) => session.check({ schema, type: type ?? NEW_TYPE, request }, setBusy, signal),
    enabled: request.mapping.some((key) => key !== undefined),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
  return { check, busy };
}

const NEW_TYPE = { id: 0, entryCount: 0 };

/** Creates the type, fields and choices of an import, and assigns the columns to them. */
function useCreate(
  { setup }: PreparedEntries,
  { type }: ImportSubject,
  onCreated: PrepareProps['onCreated'],
) {
  const [createdText, setCreatedText] = useState<string>();
  const [isCreating, setCreating] = useState(false);
  const extend = useWrite('extendSchema', extendSchemaMutation());
  const reloadSchema = useReloadSchema();
  async function create(body: NonNullable<ReturnType<typeof buildExtension>>, plan: SchemaPlan) {
    setCreating(true);
    try {
      const created = await extend.mutateAsync({ body });
      const keys = new Map(
        plan.created.map(({ column }, index) => [column, created.createdFields[index]?.apiName]),
      );
      await reloadSchema();
      setCreatedText(formatExtension(created, type === undefined));
      onCreated(created, {
        mapping: setup.mapping.map((key, column) => keys.get(column) ?? key),
        newFields: {},
        newType: undefined,
      });
      return created;
    } catch (thrown) {
      // Another user may have created the type or a field in the meantime.
      await reloadSchema();
      throw thrown instanceof ServiceError ? describeRefusal(thrown, plan) : thrown;
    } finally {
      setCreating(false);
    }
  }
  return { create, createdText, isCreating };
}

/** Says what was created: "Companies was created with 7 fields". */
function formatExtension(
  { entryType, createdFields, changedFields }: SchemaExtension,
  isNew: boolean,
): string {
  const names = createdFields.map(({ name }) => name).join(', ');
  if (isNew)
    return `${entryType.pluralName} was created with ${pluralize(createdFields.length, 'field', 'fields')}: ${names}`;
  return [
    ...(createdFields.length > 0
      ? [`${pluralize(createdFields.length, 'field was', 'fields were')} created: ${names}`]
      : []),
    ...(changedFields.length > 0
      ? [`Choices were added to ${changedFields.map(({ name }) => name).join(', ')}`]
      : []),
  ].join('. ');
}

/** A refusal with the names of the fields that it is about. */
function describeRefusal(error: ServiceError, plan: SchemaPlan): ServiceError {
  const { status, message, fields, requestId } = error;
  const details = fields.map(({ path, message: detail }) => {
    const [list, index] = path.split('.');
    const field = list === 'fields' ? plan.created[Number(index)]?.field : plan.added[Number(index)]?.field;
    return field ? `${field.name} ${detail}` : detail;
  });
  return new ServiceError(status, details.length > 0 ? details.join('; ') : message, fields, requestId);
}
