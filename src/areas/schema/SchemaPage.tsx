import { Link, getRouteApi, useRouter } from '@tanstack/react-router';
import { Pencil, Plus, Table2, Trash2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useAllowed } from '../../api/session.ts';
import { referringTo } from '../entries/model/schema-words.ts';
import { useType } from '../entries/model/use-type.ts';
import { namesIn } from '../entries/views/saved.ts';
import { useViews } from '../entries/views/use-views.ts';
import { fold } from '../../lib/fold.ts';
import { counted } from '../../lib/numbers.ts';
import { Trail } from '../../ui/layout/Trail.tsx';
import { Button } from '../../ui/button/Button.tsx';
import { CopyButton } from '../../ui/button/CopyButton.tsx';
import { buttonClass } from '../../ui/button/button-class.ts';
import { SearchField } from '../../ui/form/SearchField.tsx';
import { Card } from '../../ui/layout/Card.tsx';
import { Page } from '../../ui/layout/Page.tsx';
import { MenuButton } from '../../ui/menu/MenuButton.tsx';
import { TableBar } from '../../ui/table/TableBar.tsx';
import { FieldRow } from './FieldRow.tsx';
import { TypePanel } from './TypePanel.tsx';
import { useDeleteType } from '../entries/pages/deletions.ts';
import { toServiceError } from '../../api/errors.ts';
import { getFieldQueryKey } from '../../api/generated/@tanstack/react-query.gen.ts';
import type { Field } from '../entries/model/schema.ts';
import { Panel } from '../../ui/dialog/Panel.tsx';
import { ErrorState } from '../../ui/feedback/ErrorState.tsx';
import { SkeletonRows } from '../../ui/feedback/Skeleton.tsx';
import { FieldEditor } from './FieldEditor.tsx';
import type { FieldEditorProps } from './FieldEditor.tsx';
import { readField } from './read-field.ts';
import './schema.css';

const route = getRouteApi('/_app/entries/$type/schema');

/** What entries of a type hold: every field with its rules in words, and what depends on it. */
export function SchemaPage() {
  const router = useRouter();
  const { schema, type, fields } = useType();
  const { edit, field: panel } = route.useSearch();
  const [q, setQ] = useState('');
  const update = useAllowed('updateEntryType');
  const removal = useAllowed('deleteEntryType');
  const removeType = useDeleteType();
  const { views } = useViews(type.id);
  const named = useMemo(() => views.map((view) => ({ view, names: namesIn(view) })), [views]);
  const sought = fold(q.trim());
  const shown = fields.filter(({ name, apiName }) => fold(`${name} ${apiName}`).includes(sought));
  const open = (search: { edit?: true; field?: number | 'new' }) =>
    router.navigate({ to: '/entries/$type/schema', params: { type: type.apiName }, search });
  const edited = typeof panel === 'number' ? fields.find(({ id }) => id === panel) : undefined;
  return (
    <Page
      breadcrumbs={<Trail />}
      title={`Schema of ${type.pluralName}`}
      meta={
        <span className="ent-facts">
          <span>{counted(fields.length, 'field', 'fields')}</span>
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
          <NewField onNew={() => void open({ field: 'new' })} />
          <MenuButton
            label={`Actions for ${type.pluralName}`}
            variant="default"
            items={() => [
              {
                label: 'Edit names',
                icon: Pencil,
                disabledReason: update.reason,
                onSelect: () => void open({ edit: true }),
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
          {shown.map((field) => (
            <FieldRow
              key={field.id}
              {...{ field, fields, schema, type }}
              usedBy={named.flatMap(({ view, names }) =>
                names.has(field.apiName.toLowerCase()) ? [view] : [],
              )}
              onEdit={() => void open({ field: field.id })}
            />
          ))}
          {shown.length === 0 && <li className="sch-none">No field is called so.</li>}
        </ul>
      </Card>
      <Referring />
      {edit && <TypePanel type={type} />}
      {(panel === 'new' || edited) && (
        <FieldPanel key={panel} field={edited} {...{ type, fields, schema }} onClose={() => open({})} />
      )}
    </Page>
  );
}

function NewField({ onNew }: { onNew: () => void }) {
  const { reason } = useAllowed('createField');
  return (
    <Button variant="primary" icon={Plus} disabledReason={reason} onClick={onNew}>
      New field
    </Button>
  );
}

/** The fields of this type and of others that may point to its entries. */
function Referring() {
  const { schema, type } = useType();
  const referring = referringTo(type.id, schema);
  return (
    <Card title={`Referred to by ${counted(referring.length, 'field', 'fields')}`}>
      {referring.length === 0 ? (
        <p className="sch-none">No reference field of any type points to {type.pluralName}.</p>
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
  /** Undefined for a new one. */
  field: Field | undefined;
}

/** Creates a field of a type, or changes one, over the schema. */
function FieldPanel(props: FieldPanelProps) {
  return props.field ? (
    <Reading {...props} field={props.field} />
  ) : (
    <FieldEditor {...props} start={undefined} />
  );
}

function Reading({ field, ...props }: FieldPanelProps & { field: Field }) {
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: [{ ...getFieldQueryKey({ path: { fieldId: field.id } })[0], tagged: true }],
    queryFn: ({ signal }) => readField(field.id, signal),
    // Newer readings must not move the entity tag under the typing.
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
            title="The field could not be read"
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
