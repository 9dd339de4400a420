import { zodResolver } from '@hookform/resolvers/zod';
import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { useController, useForm, useWatch } from 'react-hook-form';
import type { Control } from 'react-hook-form';
import type { EntryTypeIcon, EntryTypeVm } from '../../../../contract/generated/types.gen.ts';
import { DEFAULT_TYPE_ICON } from '../../../../contract/rules/schema/type-icons.ts';
import { ServiceError } from '../../../api/errors.ts';
import { withEtag } from '../../../api/etag.ts';
import { createEntryTypeMutation } from '../../../api/generated/queries/schema.gen.ts';
import { getEntryType, updateEntryType } from '../../../api/generated/sdk/schema.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { ConflictBanner } from '../../../app/freshness/ConflictBanner.tsx';
import { omitUndefined } from '../../../lib/search-params.ts';
import { suggestApiName } from '../../../lib/text/api-names.ts';
import { Panel } from '../../../ui/dialog/Panel.tsx';
import { useUnsavedGuard } from '../../../ui/dialog/unsaved-work.ts';
import { Form } from '../../../ui/form/Form.tsx';
import { TextField } from '../../../ui/form/TextField.tsx';
import { Tile } from '../../../ui/layout/Tile.tsx';
import { TYPE_ICONS } from '../../../ui/layout/TypeTile.tsx';
import { toast } from '../../../ui/toast.ts';
import { useReloadSchema, useSchema } from '../../entries/index.ts';
import { typeSchema, toTypeValues } from '../model/schema-forms.ts';
import type { TypeValues } from '../model/schema-forms.ts';
import { ImpactList } from './ImpactList.tsx';

const hasSameNames = (a: TypeValues, b: TypeValues): boolean =>
  a.apiName === b.apiName &&
  a.singularName === b.singularName &&
  a.pluralName === b.pluralName &&
  (a.icon ?? DEFAULT_TYPE_ICON) === (b.icon ?? DEFAULT_TYPE_ICON);

/** What other names affect, before they are saved. */
function TypeImpact({ control, type }: { control: Control<TypeValues>; type: EntryTypeVm }) {
  const schema = useSchema();
  const { apiName, singularName, pluralName } = useWatch({ control });
  const entryType = Object.fromEntries(
    Object.entries({ apiName, singularName, pluralName }).filter(
      ([key, value]) => value !== undefined && value !== '' && value !== Reflect.get(type, key),
    ),
  );
  return <ImpactList {...{ type, schema }} field={undefined} change={{ entryType }} />;
}

const ICONS = Object.entries(TYPE_ICONS) as [EntryTypeIcon, (typeof TYPE_ICONS)[EntryTypeIcon]][];

/** Choice of the icon of a type; radio buttons, so that arrow keys work. */
function IconField({ control }: { control: Control<TypeValues> }) {
  const { field } = useController({ control, name: 'icon' });
  return (
    <fieldset className="sch-icons">
      <legend>Icon</legend>
      {ICONS.map(([name, { icon, label }], index) => (
        <label key={name} className="sch-icon" title={label}>
          <input
            type="radio"
            className="visually-hidden"
            ref={index === 0 ? field.ref : undefined}
            name={field.name}
            value={name}
            checked={field.value === name}
            onChange={() => field.onChange(name)}
          />
          <Tile icon={icon} tone={field.value === name ? 'accent' : 'neutral'} />
          <span className="visually-hidden">{label}</span>
        </label>
      ))}
    </fieldset>
  );
}

/** Panel that creates an entry type, over the list of types, or edits its names, over its schema. */
export function TypePanel({ type }: { type?: EntryTypeVm }) {
  const router = useRouter();
  const { reason } = usePermission(type ? 'updateEntryType' : 'createEntryType');
  const create = useWrite('createEntryType', createEntryTypeMutation());
  // The schema may be read again while the panel is open; the form keeps the names it started with.
  const [start] = useState(type);
  const [otherChange, setOtherChange] = useState<EntryTypeVm>();
  const update = useWrite('updateEntryType', {
    async mutationFn({ id, body }: { id: number; body: TypeValues }) {
      const path = { entryTypeId: String(id) };
      // Names that another user changed in the meantime are shown before they are overwritten.
      const now = withEtag(await getEntryType({ path }));
      const seen = otherChange ?? start;
      if (seen && !hasSameNames(now.data, seen)) {
        setOtherChange(now.data);
        throw new ServiceError(412, 'Another user changed the names or the icon of this type');
      }
      const headers = now.etag === undefined ? {} : { 'If-Match': now.etag };
      return (await updateEntryType({ path, body, headers })).data;
    },
  });
  const reloadSchema = useReloadSchema();
  const form = useForm({ resolver: zodResolver(typeSchema), defaultValues: toTypeValues(type) });
  useUnsavedGuard(form.formState.isDirty, (search) => !((type ? 'edit' : 'new') in search));
  const close = () =>
    type
      ? router.navigate({
          from: '/entries/$type/schema',
          to: '.',
          search: ({ q }) => omitUndefined({ q }),
        })
      : router.navigate({ from: '/entries', to: '.', search: ({ q }) => omitUndefined({ q }) });

  const submit = async (values: TypeValues) => {
    const saved = await (
      type ? update.mutateAsync({ id: type.id, body: values }) : create.mutateAsync({ body: values })
    ).catch(() => undefined);
    if (!saved) return;
    await reloadSchema();
    toast({ title: type ? `${saved.pluralName} was saved` : `${saved.pluralName} was created` });
    await router.navigate({
      to: '/entries/$type/schema',
      params: { type: saved.apiName },
      search: {},
      ignoreBlocker: true,
    });
  };

  // Plural and API name follow the name until the user edits them.
  const suggest = (name: string) => {
    const { dirtyFields } = form.formState;
    if (type) return;
    if (!dirtyFields.pluralName) form.setValue('pluralName', name === '' ? '' : `${name}s`);
    if (!dirtyFields.apiName) form.setValue('apiName', suggestApiName(name));
  };

  return (
    <Panel title={type ? `Edit ${type.pluralName}` : 'New entry type'} onClose={() => void close()}>
      {/* Listens to the field of the name only; the form has its own handlers. */}
      <div
        className="sch-panel"
        onChange={({ target }) => {
          if (target instanceof HTMLInputElement && target.name === 'singularName')
            suggest(target.value.trim());
        }}
      >
        <Form
          form={form}
          pending={form.formState.isSubmitting}
          error={create.error ?? (otherChange && update.error?.status === 412 ? null : update.error)}
          submitLabel={type ? 'Save' : 'Create entry type'}
          disabledReason={reason}
          onCancel={() => void close()}
          onSubmit={submit}
        >
          {otherChange && (
            <ConflictBanner
              action="entryType.update"
              subjectType="entryType"
              subjectId={otherChange.id}
              what="the names"
            >
              The names are now {otherChange.singularName}, {otherChange.pluralName} and {otherChange.apiName}
              . Saving again replaces them with yours.
            </ConflictBanner>
          )}
          {/* The panel is opened to enter the name. */}
          <TextField
            control={form.control}
            name="singularName"
            label="Singular name"
            placeholder="Company"
            // oxlint-disable-next-line jsx-a11y/no-autofocus
            autoFocus
          />
          <TextField control={form.control} name="pluralName" label="Plural name" placeholder="Companies" />
          <TextField
            control={form.control}
            name="apiName"
            label="API name"
            hint={
              type
                ? 'Programs and saved queries that use the old name will no longer work.'
                : 'Used by programs: a letter, then letters, digits and underscores.'
            }
          />
          <IconField control={form.control} />
          {type && <TypeImpact control={form.control} {...{ type }} />}
        </Form>
      </div>
    </Panel>
  );
}
