import { zodResolver } from '@hookform/resolvers/zod';
import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Eye } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useController, useForm, useWatch } from 'react-hook-form';
import type { Control } from 'react-hook-form';
import { z } from 'zod';
import type { AgentKey, AgentPreview, AgentTool } from '../../../../contract/generated/types.gen.ts';
import { ServiceError } from '../../../api/errors.ts';
import { previewAgentCallMutation } from '../../../api/generated/queries/agent.gen.ts';
import { usePermission, useSession } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { PersonPicker } from '../../../directory/PersonPicker.tsx';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { formatSize } from '../../../lib/sizes.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { FieldFrame } from '../../../ui/form/FieldFrame.tsx';
import { Form } from '../../../ui/form/Form.tsx';
import { SegmentedControl } from '../../../ui/form/SegmentedControl.tsx';
import { MultiSelectField } from '../../../ui/form/select/MultiSelectField.tsx';
import { SelectField } from '../../../ui/form/select/SelectField.tsx';
import { SwitchInput } from '../../../ui/form/SwitchInput.tsx';
import { TextField } from '../../../ui/form/TextField.tsx';
import { useField } from '../../../ui/form/use-field.ts';
import { Card, CardBody, Fact, Facts } from '../../../ui/layout/Card.tsx';
import { announce } from '../../../ui/layout/LiveRegion.tsx';
import { toTypeOption } from '../../../ui/layout/TypeTile.tsx';
import { agentKeysQuery, agentSettingsQuery, useSchemaNames } from '../model/queries.ts';
import type { SchemaNames } from '../model/queries.ts';
import { buildToolFields, parseToolArguments } from '../model/tool-form.ts';
import type { ToolField } from '../model/tool-form.ts';
import { isLasting } from '../model/use-pause.ts';
import { usePersonName } from '../model/use-person-name.ts';
import { CodeBlock } from '../panels/CodeBlock.tsx';
import '../panels/agent.css';

const route = getRouteApi('/_app/agent/preview');

/** Choice of the list of keys that stands for none. */
const WITHOUT_KEY = 0;

const previewSchema = z.object({
  keyId: z.number(),
  userId: z.number(),
  entryTypeIds: z.array(z.number()),
  tool: z.string(),
  // Fields of other tools have no value.
  values: z.record(z.string(), z.string().optional()),
});
type PreviewValues = z.infer<typeof previewSchema>;
type PreviewControl = Control<PreviewValues, unknown, PreviewValues>;

/** Calls a tool as an agent of a person would, and shows what the agent would get. */
export function PreviewPage() {
  const { allowed, reason } = usePermission('previewAgentCall');
  if (!allowed) throw new ServiceError(403, reason);
  const { data: keys } = useSuspenseQuery(agentKeysQuery);
  return <Preview keys={keys.filter(isLasting)} />;
}

function Preview({ keys }: { keys: readonly AgentKey[] }) {
  const { agent } = route.useSearch();
  const { user } = useSession();
  const { data: settings } = useSuspenseQuery(agentSettingsQuery);
  const names = useSchemaNames();
  const preview = useWrite('previewAgentCall', previewAgentCallMutation());
  const [tool = settings.tools[0]] = settings.tools;
  const form = useForm<PreviewValues>({
    resolver: zodResolver(previewSchema),
    defaultValues: {
      keyId: keys.find(({ id }) => id === agent)?.id ?? WITHOUT_KEY,
      userId: user.id,
      entryTypeIds: [],
      tool: tool?.name ?? '',
      values: {},
    },
  });
  const [keyId, toolName] = useWatch({ control: form.control, name: ['keyId', 'tool'] });
  const key = keys.find(({ id }) => id === keyId);
  const chosenTool = settings.tools.find(({ name }) => name === toolName);
  const fields = useMemo(() => (chosenTool ? buildToolFields(chosenTool.inputSchema) : []), [chosenTool]);

  const submit = ({ userId, entryTypeIds, values }: PreviewValues) => {
    const { arguments: args, errors } = parseToolArguments(fields, values);
    if (errors) {
      for (const [name, message] of Object.entries(errors)) form.setError(`values.${name}`, { message });
      return;
    }
    if (!chosenTool) return;
    const rights = key
      ? { userId: key.userId, keyId: key.id }
      : { userId, entryTypeIds: entryTypeIds.length === 0 ? null : entryTypeIds };
    preview.mutate(
      { body: { ...rights, tool: chosenTool.name, arguments: args } },
      {
        onSuccess: ({ isError, rows }) =>
          announce(isError ? 'The tool refused the call' : pluralize(rows, 'row', 'rows')),
      },
    );
  };
  return (
    <div className="agent-preview">
      <Card title="Call a tool">
        <CardBody>
          <Form
            form={form}
            pending={preview.isPending}
            error={preview.error}
            submitLabel="Call the tool"
            onSubmit={submit}
            keepsInput
          >
            <SelectField
              control={form.control}
              name="keyId"
              label="Agent"
              options={[
                { value: WITHOUT_KEY, label: 'Any agent of a person' },
                ...keys.map(({ id, name, userName }) => ({
                  value: id,
                  label: name,
                  hint: `for ${userName}`,
                })),
              ]}
            />
            {!key && <RightsFields control={form.control} names={names} />}
            <SelectField
              control={form.control}
              name="tool"
              label="Tool"
              options={settings.tools.map(({ name, title }) => ({ value: name, label: title, hint: name }))}
              hint={chosenTool?.description}
            />
            {fields.map((field) => (
              <ArgumentField
                key={`${toolName} ${field.name}`}
                control={form.control}
                field={field}
                names={names}
              />
            ))}
          </Form>
        </CardBody>
      </Card>
      <Result preview={preview.data} tools={settings.tools} names={names} />
    </div>
  );
}

/** Person and allowed entry types of an agent without a key. */
function RightsFields({ control, names }: { control: PreviewControl; names: SchemaNames }) {
  const { field } = useController({ control, name: 'userId' });
  const name = usePersonName(field.value);
  return (
    <>
      <div className="agent-stack">
        <PersonPicker
          label="Person"
          placeholder="Name, e-mail or id"
          onSelect={field.onChange}
          getDisabledReason={(id) => (id === field.value ? 'Chosen' : undefined)}
        />
        <p className="agent-soft">
          As <b>{name}</b>
        </p>
      </div>
      <MultiSelectField
        control={control}
        name="entryTypeIds"
        label="Allowed entry types"
        placeholder="All entry types"
        options={names.types.map(toTypeOption)}
      />
    </>
  );
}

interface ArgumentFieldProps {
  control: PreviewControl;
  field: ToolField;
  names: SchemaNames;
}

/** Field of an argument of the tool. */
function ArgumentField({ control, field, names }: ArgumentFieldProps) {
  const { label, hint, kind, isRequired, options } = field;
  const name = `values.${field.name}` as const;
  if (kind === 'boolean') return <SwitchArgument {...{ control, name, label, hint, isRequired }} />;
  if (kind === 'entryType' || kind === 'choice') {
    const choices =
      kind === 'choice'
        ? options.map((value) => ({ value, label: value }))
        : names.types.map((type) => ({
            ...toTypeOption(type),
            value: type.apiName,
            hint: type.apiName,
          }));
    return (
      <SelectField
        {...{ control, name, label, hint }}
        options={isRequired ? choices : [{ value: '', label: 'Not set' }, ...choices]}
        placeholder={isRequired ? 'Choose' : 'Not set'}
      />
    );
  }
  return (
    <TextField
      {...{ control, name, label, hint }}
      optional={!isRequired}
      {...(kind === 'json' && { rows: 3, placeholder: 'JSON' })}
      {...(kind === 'number' && { inputMode: 'decimal' as const })}
    />
  );
}

interface SwitchArgumentProps extends Pick<ToolField, 'label' | 'hint' | 'isRequired'> {
  control: PreviewControl;
  name: `values.${string}`;
}

/** Boolean argument, whose value in the form is a text; without a value it is left out. */
function SwitchArgument({ isRequired, ...props }: SwitchArgumentProps) {
  const { bind, value, error, id, noteId } = useField<PreviewValues, PreviewValues, string | undefined>(
    props,
  );
  return (
    <FieldFrame {...{ id, noteId, error }} label={props.label} hint={props.hint} optional={!isRequired}>
      <SwitchInput
        id={id}
        value={value === undefined || value === '' ? undefined : value === 'true'}
        isInvalid={error !== undefined}
        describedBy={noteId}
        onBlur={bind.onBlur}
        onChange={(isOn) => bind.onChange(String(isOn))}
        onClear={() => bind.onChange('')}
      />
    </FieldFrame>
  );
}

const FORMS = [
  { value: 'text', label: 'Text' },
  { value: 'data', label: 'Data' },
] as const;

interface ResultProps {
  preview: AgentPreview | undefined;
  tools: readonly AgentTool[];
  names: SchemaNames;
}

/** What an agent would get. */
function Result({ preview, tools, names }: ResultProps) {
  const [form, setForm] = useState<(typeof FORMS)[number]['value']>('text');
  if (!preview)
    return (
      <Card title="What the agent gets">
        <div>
          {' '}
          <EmptyState icon={Eye} title="No calls yet">
            Call a tool to see exactly what an agent of this person would read. A preview counts towards no
            limit and is not in the ledger.
          </EmptyState>
        </div>
      </Card>
    );
  const { isError, text, structuredContent, bytes, rows, durationMs, fieldIds, flags } = preview;
  const shown = form === 'text' ? text : JSON.stringify(structuredContent, undefined, 2);
  return (
    <Card
      title="What the agent gets"
      actions={
        structuredContent === null ? undefined : (
          <SegmentedControl label="Form of the result" options={FORMS} value={form} onChange={setForm} />
        )
      }
    >
      <div>
        {(isError || flags.length > 0) && (
          <div className="agent-result-note">
            {isError && <Banner tone="bad" title="The agent gets this error" />}
            {flags.length > 0 && (
              <Banner tone="warn" title="Contains text that looks like an instruction">
                {flags
                  .map(({ entryId, fieldId }) => `${names.getFieldName(fieldId)} of entry ${entryId}`)
                  .join(', ')}
              </Banner>
            )}
          </div>
        )}
        <CodeBlock
          title={`${pluralize(rows, 'row', 'rows')}, ${formatSize(bytes)}, ${formatNumber(Math.round(durationMs))} ms`}
          text={shown}
          copyLabel="Copy result"
          isResult
        />
        <Facts>
          <Fact label="Fields">{fieldIds.map(names.getFieldName).join(', ') || 'None'}</Fact>
          <Fact label="Tools it sees">
            {preview.tools.length === tools.length
              ? `All ${tools.length}`
              : `${preview.tools.length} of ${tools.length}: ${preview.tools.join(', ')}`}
          </Fact>
        </Facts>
      </div>
    </Card>
  );
}
