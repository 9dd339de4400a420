import { useQuery } from '@tanstack/react-query';
import { Link, getRouteApi, useRouter } from '@tanstack/react-router';
import { Pencil, Plus, Table2, Trash2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { toServiceError } from '../../../api/errors.ts';
import { getFieldQueryKey } from '../../../api/generated/@tanstack/react-query.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { foldText } from '../../../lib/fold-text.ts';
import { pluralize } from '../../../lib/numbers.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import { Panel } from '../../../ui/dialog/Panel.tsx';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { SearchField } from '../../../ui/form/SearchField.tsx';
import { Breadcrumbs } from '../../../ui/layout/Breadcrumbs.tsx';
import { Card } from '../../../ui/layout/Card.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { MenuButton } from '../../../ui/menu/MenuButton.tsx';
import { TableBar } from '../../../ui/table/TableBar.tsx';
import { getReferencedNames, getReferencingFields, useEntryType, useViews } from '../../entries/index.ts';
import type { Field } from '../../entries/index.ts';
import { loadField } from '../model/schema-forms.ts';
import { useDeleteType } from '../model/use-delete.ts';
import { FieldEditor } from '../panels/FieldEditor.tsx';
import type { FieldEditorProps } from '../panels/FieldEditor.tsx';
import { TypePanel } from '../panels/TypePanel.tsx';
import { FieldRow } from './FieldRow.tsx';
import '../panels/schema.css';

const route = getRouteApi('/_app/entries/$type/schema');

/** Schema of an entry type: its fields with their rules and dependencies. */
export function SchemaPage() {
  const router = useRouter();
  const { schema, type, fields } = useEntryType();
  const { edit, field: panel } = route.useSearch();
  const [q, setQ] = useState('');
  const update = usePermission('updateEntryType');
  const removal = usePermission('deleteEntryType');
  const removeType = useDeleteType();
  const { views } = useViews(type.id);
  const viewNames = useMemo(() => views.map((view) => ({ view, names: getReferencedNames(view) })), [views]);
  const searchText = foldText(q.trim());
  const visibleFields = fields.filter(({ name, apiName }) =>
    foldText(`${name} ${apiName}`).includes(searchText),
  );
  const openPanel = (search: { edit?: true; field?: number | 'new' }) =>
    router.navigate({ to: '/entries/$type/schema', params: { type: type.apiName }, search });
  const editedField = typeof panel === 'number' ? fields.find(({ id }) => id === panel) : undefined;
  return (
    <Page
      breadcrumbs={<Breadcrumbs />}
      title={`Schema of ${type.pluralName}`}
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
      {fields.length > 8 && (
        <TableBar>
          <SearchField label="Search fields" placeholder="Name or API name" value={q} onChange={setQ} />
        </TableBar>
      )}
      <Card>
        <ul className="sch-list">
          {visibleFields.map((field) => (
            <FieldRow
              key={field.id}
              {...{ field, fields, schema, type }}
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
          onClose={() => openPanel({})}
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
    <Card title={`Referred to by ${pluralize(referring.length, 'field', 'fields')}`}>
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
    <Panel title={`Edit ${field.name}`} onClose={() => void props.onClose()}>
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
