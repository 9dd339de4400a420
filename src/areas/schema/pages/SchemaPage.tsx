import { zodResolver } from '@hookform/resolvers/zod';
import { useQuery } from '@tanstack/react-query';
import { Link, getRouteApi } from '@tanstack/react-router';
import { Pencil, Plus, Table2, Trash2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import type { Control } from 'react-hook-form';
import type { EntryTypeVm, FieldInfo } from '../../../../contract/generated/types.gen.ts';
import { foldText } from '../../../../contract/rules/fold-text.ts';
import { toServiceError, ServiceError } from '../../../api/errors.ts';
import {
  createFieldMutation,
  getFieldQueryKey,
  listCalculationFailuresOptions,
} from '../../../api/generated/queries/schema.gen.ts';
import { updateField } from '../../../api/generated/sdk/schema.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { ConflictBanner } from '../../../app/freshness/ConflictBanner.tsx';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { omitUndefined, readSearchText, toSearchValue } from '../../../lib/search-params.ts';
import { suggestApiName } from '../../../lib/text/api-names.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import { Panel } from '../../../ui/dialog/Panel.tsx';
import { useUnsavedGuard } from '../../../ui/dialog/unsaved-work.ts';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { Form } from '../../../ui/form/Form.tsx';
import { SearchField } from '../../../ui/form/SearchField.tsx';
import { Breadcrumbs } from '../../../ui/layout/Breadcrumbs.tsx';
import { Card } from '../../../ui/layout/Card.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { TypeLabel } from '../../../ui/layout/TypeTile.tsx';
import { MenuButton } from '../../../ui/menu/MenuButton.tsx';
import { TableBar } from '../../../ui/table/TableBar.tsx';
import { useDebouncedSearch } from '../../../ui/table/use-debounced-search.ts';
import { toast } from '../../../ui/toast.ts';
import {
  buildMissingValueQuery,
  getReferencedNames,
  getReferencingFields,
  useEntryType,
  useViews,
} from '../../entries/index.ts';
import type { Field, Schema } from '../../entries/index.ts';
import {
  loadField,
  getFieldChanges,
  fieldSchema,
  toFieldInfo,
  toFormError,
  toFieldValues,
  mergeValues,
  formatChangedProperties,
} from '../model/schema-forms.ts';
import type { FieldValues } from '../model/schema-forms.ts';
import { FieldFields } from '../panels/FieldFields.tsx';
import { ImpactList } from '../panels/ImpactList.tsx';
import { TypePanel } from '../panels/TypePanel.tsx';
import { useDeleteType } from '../panels/use-delete.tsx';
import { FieldRow } from './FieldRow.tsx';
import '../panels/schema.css';

const route = getRouteApi('/_app/entries/$type/schema');

/** Schema of an entry type: its fields with their rules and dependencies. */
export function SchemaPage() {
  const { schema, type, fields } = useEntryType();
  const { q: searched, edit, field: panel } = route.useSearch();
  const navigate = route.useNavigate();
  const {
    q,
    type: setText,
    settle,
  } = useDebouncedSearch(readSearchText(searched), (text) =>
    navigate({
      search: (others) => omitUndefined({ ...others, q: text === '' ? undefined : toSearchValue(text) }),
      replace: true,
    }),
  );
  const update = usePermission('updateEntryType');
  const removal = usePermission('deleteEntryType');
  const removeType = useDeleteType(schema);
  const { views } = useViews(type.id);
  const { data: failures = [] } = useQuery({
    ...listCalculationFailuresOptions({ path: { entryTypeId: String(type.id) } }),
    // Calculations run in the background.
    staleTime: 0,
    enabled: fields.some(({ isCalculated }) => isCalculated),
  });
  const viewNames = useMemo(() => views.map((view) => ({ view, names: getReferencedNames(view) })), [views]);
  const searchText = foldText(q.trim());
  const visibleFields = fields.filter(({ name, apiName }) =>
    foldText(`${name} ${apiName}`).includes(searchText),
  );
  const openPanel = (search: { edit?: true; field?: number | 'new' }, ignoreBlocker = false) =>
    navigate({ search: ({ q: text }) => omitUndefined({ q: text, ...search }), ignoreBlocker });
  const editedField = typeof panel === 'number' ? fields.find(({ id }) => id === panel) : undefined;
  return (
    <Page
      breadcrumbs={<Breadcrumbs />}
      title={
        <TypeLabel type={type} size="medium">
          Schema of {type.pluralName}
        </TypeLabel>
      }
      meta={
        <span className="ent-facts">
          <span>{pluralize(fields.length, 'field', 'fields')}</span>
          <span>
            <span className="mono">{type.apiName}</span>{' '}
            <CopyButton value={type.apiName} label="Copy API name" />
          </span>
          <span>
            id {type.id} <CopyButton value={String(type.id)} label="Copy id" />
          </span>
        </span>
      }
      actions={
        <>
          <Link to="/entries/$type" params={{ type: type.apiName }} className={buttonClass()}>
            <Table2 />
            Entries
          </Link>
          <NewFieldButton onNew={() => void openPanel({ field: 'new' })} />
          <MenuButton
            label={`Actions for ${type.pluralName}`}
            variant="default"
            items={() => [
              {
                label: 'Edit names',
                icon: Pencil,
                disabledReason: update.reason,
                onSelect: () => void openPanel({ edit: true }),
              },
              'line',
              {
                label: 'Delete entry type',
                icon: Trash2,
                danger: true,
                disabledReason: removal.reason,
                onSelect: () => void removeType(type),
              },
            ]}
          />
        </>
      }
    >
      {(fields.length > 8 || q !== '') && (
        <TableBar>
          <SearchField
            label="Search fields"
            placeholder="Name or API name"
            value={q}
            onChange={setText}
            onBlur={settle}
          />
        </TableBar>
      )}
      <Card>
        <ul className="sch-list">
          {visibleFields.map((field) => (
            <FieldRow
              key={field.id}
              {...{ field, fields, schema, type }}
              failures={failures.find(({ fieldId }) => fieldId === field.id)}
              usedBy={viewNames.flatMap(({ view, names }) =>
                names.has(field.apiName.toLowerCase()) ? [view] : [],
              )}
              onEdit={() => void openPanel({ field: field.id })}
            />
          ))}
          {visibleFields.length === 0 && <li className="sch-none">No field matches.</li>}
        </ul>
      </Card>
      <ReferencingFields />
      {edit && <TypePanel type={type} />}
      {(panel === 'new' || editedField) && (
        <FieldPanel
          key={panel}
          field={editedField}
          {...{ type, fields, schema }}
          onClose={(isSaved) => openPanel({}, isSaved)}
        />
      )}
    </Page>
  );
}

function NewFieldButton({ onNew }: { onNew: () => void }) {
  const { reason } = usePermission('createField');
  return (
    <Button variant="primary" icon={Plus} disabledReason={reason} onClick={onNew}>
      New field
    </Button>
  );
}

/** Reference fields of all types that may refer to entries of this type. */
function ReferencingFields() {
  const { schema, type } = useEntryType();
  const referring = getReferencingFields(type.id, schema);
  return (
    <Card title={`Referenced by (${formatNumber(referring.length)})`}>
      {referring.length === 0 ? (
        <p className="sch-none">No reference field refers to {type.pluralName}.</p>
      ) : (
        <ul className="sch-referring">
          {referring.map(({ id, name, entryTypeId }) => {
            const from = schema.typeById.get(entryTypeId);
            return (
              <li key={id}>
                {name} of{' '}
                <Link to="/entries/$type/schema" params={{ type: from?.apiName ?? String(entryTypeId) }}>
                  {from?.pluralName ?? `type ${entryTypeId}`}
                </Link>
              </li>
            );
          })}
        </ul>
      )}
    </Card>
  );
}

interface FieldPanelProps extends Omit<FieldEditorProps, 'start'> {
  /** Undefined for a new field. */
  field: Field | undefined;
}

/** Panel that creates or edits a field, over the schema. */
function FieldPanel(props: FieldPanelProps) {
  return props.field ? (
    <FieldLoader {...props} field={props.field} />
  ) : (
    <FieldEditor {...props} start={undefined} />
  );
}

function FieldLoader({ field, ...props }: FieldPanelProps & { field: Field }) {
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: [{ ...getFieldQueryKey({ path: { fieldId: field.id } })[0], tagged: true }],
    queryFn: ({ signal }) => loadField(field.id, signal),
    // The entity tag must not change while the user is typing.
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  if (data) return <FieldEditor {...props} start={data} />;
  const failure = error === null ? undefined : toServiceError(error);
  return (
    <Panel title={`Edit ${field.name}`} onClose={() => void props.onClose(false)}>
      <div className="sch-waiting">
        {failure ? (
          <ErrorState
            title="The field could not be loaded"
            onRetry={() => void refetch()}
            retrying={isFetching}
            requestId={failure.requestId}
          >
            {failure.message}
          </ErrorState>
        ) : (
          <SkeletonRows rows={8} />
        )}
      </div>
    </Panel>
  );
}

interface FieldVersion {
  field: Field;
  etag: string | undefined;
}

interface FieldEditorProps {
  type: EntryTypeVm;
  fields: readonly Field[];
  schema: Schema;
  onClose: (isSaved: boolean) => Promise<void>;
  /** The field when editing started; undefined for a new field. */
  start: FieldVersion | undefined;
}

interface FieldUpdate extends FieldVersion {
  body: FieldInfo;
}

interface FieldImpactProps {
  control: Control<FieldValues, unknown, FieldValues>;
  field: Field;
  type: EntryTypeVm;
  schema: Schema;
  before: FieldValues;
}

/** What the changes in the form affect, before they are saved. */
function FieldImpact({ control, field, type, schema, before }: FieldImpactProps) {
  const values = useWatch({ control, compute: (all: FieldValues) => all });
  const info = toFieldInfo(values);
  const change = getFieldChanges(toFieldInfo(before), info);
  const changed: Field = {
    ...field,
    isRequired: info.isRequired ?? false,
    ...(info.requiredWhen && { requiredWhen: info.requiredWhen }),
  };
  if (!info.requiredWhen) delete changed.requiredWhen;
  return (
    <ImpactList
      {...{ type, field, schema }}
      change={{ field: change }}
      missingQuery={buildMissingValueQuery(changed, schema)}
    />
  );
}

const isStale = (error: unknown): boolean => error instanceof ServiceError && error.status === 412;

/** Form of a field. If another user saved the field first, both changes are merged and shown before saving again. */
function FieldEditor({ start, type, fields, schema, onClose }: FieldEditorProps) {
  const { reason } = usePermission(start ? 'updateField' : 'createField');
  const [base, setBase] = useState(start);
  const [otherChanges, setOtherChanges] = useState<string>();
  const [reloadError, setReloadError] = useState<ServiceError | null>(null);
  const create = useWrite('createField', createFieldMutation());
  const update = useWrite('updateField', {
    mutationFn: async ({ field, etag, body }: FieldUpdate) => {
      const headers = etag === undefined ? {} : { 'If-Match': etag };
      return (await updateField({ path: { fieldId: field.id }, body, headers })).data;
    },
  });
  const field = base?.field;
  const before = toFieldValues(field, schema.fieldById);
  const form = useForm<FieldValues, unknown, FieldValues>({
    resolver: zodResolver(fieldSchema),
    defaultValues: before,
  });
  const { isDirty, isSubmitting } = form.formState;
  const panel = field?.id ?? 'new';
  useUnsavedGuard(isDirty, (search) => !('field' in search && search.field === panel));
  const thrown = create.error ?? (isStale(update.error) ? reloadError : update.error);
  // The form shows each error object once, so the object must be stable.
  const error = useMemo(() => (thrown === null ? undefined : toFormError(thrown)), [thrown]);

  const mergeOtherChanges = async (mine: FieldValues, fieldId: number) => {
    const stored = await loadField(fieldId);
    const saved = toFieldValues(stored.field, schema.fieldById);
    setOtherChanges(formatChangedProperties(before, saved));
    setBase(stored);
    const merged = mergeValues(before, mine, saved);
    form.reset(saved);
    form.reset(merged, { keepDefaultValues: true });
  };

  const send = (values: FieldValues) => {
    const info = toFieldInfo(values);
    if (!base) return create.mutateAsync({ path: { entryTypeId: String(type.id) }, body: info });
    return update.mutateAsync({ ...base, body: getFieldChanges(toFieldInfo(before), info) });
  };
  const submit = async (values: FieldValues) => {
    setReloadError(null);
    try {
      const saved = await send(values);
      toast({ title: field ? `${saved.name} was saved` : `${saved.name} was created` });
    } catch (why) {
      if (isStale(why) && field)
        await mergeOtherChanges(values, field.id).catch((failed: unknown) =>
          setReloadError(toServiceError(failed)),
        );
      return;
    }
    form.reset(values);
    await onClose(true);
  };

  return (
    <Panel
      title={field ? `Edit ${field.name}` : `New field of ${type.pluralName}`}
      onClose={() => void onClose(false)}
    >
      <div
        className="sch-panel"
        onChange={({ target }) => {
          if (field || !(target instanceof HTMLInputElement) || target.name !== 'name') return;
          if (!form.formState.dirtyFields.apiName) form.setValue('apiName', suggestApiName(target.value));
        }}
      >
        <Form
          form={form}
          pending={isSubmitting}
          error={error}
          submitLabel={field ? (otherChanges === undefined ? 'Save' : 'Save both') : 'Create field'}
          disabledReason={reason}
          onCancel={() => void onClose(false)}
          onSubmit={submit}
        >
          {otherChanges !== undefined && (
            <ConflictBanner
              action="field.update"
              subjectType="field"
              subjectId={field?.id ?? 0}
              what="this field"
            >
              They changed {otherChanges}. Your changes are not saved yet. The form contains both; where both
              of you changed the same property, it contains your value. Review it, then save.
            </ConflictBanner>
          )}
          <FieldFields control={form.control} {...{ field, type, fields, schema }} />
          {field && <FieldImpact control={form.control} {...{ field, type, schema, before }} />}
        </Form>
      </div>
    </Panel>
  );
}
