import { zodResolver } from '@hookform/resolvers/zod';
import { Copy } from 'lucide-react';
import { useState } from 'react';
import { useController, useForm } from 'react-hook-form';
import type { Control } from 'react-hook-form';
import { z } from 'zod';
import type { AgentKeySecret, AgentSettings } from '../../../../contract/generated/types.gen.ts';
import { createAgentKeyMutation } from '../../../api/generated/queries/agent.gen.ts';
import { usePermission, useSession } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { PersonPicker } from '../../../directory/PersonPicker.tsx';
import { formatExactDate } from '../../../lib/dates/dates.ts';
import { formatNumber } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { confirm } from '../../../ui/dialog/confirm.ts';
import { Panel } from '../../../ui/dialog/Panel.tsx';
import { usePanelGuard, useUnsavedGuard } from '../../../ui/dialog/unsaved-work.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { FieldNote } from '../../../ui/form/FieldFrame.tsx';
import { Form } from '../../../ui/form/Form.tsx';
import { MultiSelectField } from '../../../ui/form/select/MultiSelectField.tsx';
import { TextField } from '../../../ui/form/TextField.tsx';
import { announce } from '../../../ui/layout/LiveRegion.tsx';
import { toTypeOption } from '../../../ui/layout/TypeTile.tsx';
import { RemovableChip } from '../../../ui/table/filter/FilterChips.tsx';
import { toast } from '../../../ui/toast.ts';
import { formatAllowedTypes, useSchemaNames } from '../model/queries.ts';
import { usePersonName } from '../model/use-person-name.ts';
import { DEFAULT_LIFETIME_DAYS, LifetimeField } from './LifetimeField.tsx';
import { SetUpTexts } from './SetUpPanel.tsx';
import './agent.css';

const MAX_CALLS_PER_DAY = 86_400;

const keySchema = z.object({
  name: z.string().trim().min(1, 'Enter a name').max(100, 'At most 100 characters'),
  userId: z.number(),
  entryTypeIds: z.array(z.number()).max(200, 'At most 200 entry types'),
  expiresInDays: z.number(),
  callsPerDay: z
    .string()
    .trim()
    .refine(
      (text) =>
        text === '' || (/^\d{1,5}$/.test(text) && Number(text) > 0 && Number(text) <= MAX_CALLS_PER_DAY),
      `Enter a number from 1 to ${formatNumber(MAX_CALLS_PER_DAY)}, or leave the field empty`,
    ),
});
type KeyValues = z.infer<typeof keySchema>;
type KeyControl = Control<KeyValues, unknown, KeyValues>;

interface NewKeyPanelProps {
  settings: AgentSettings;
  /** Whether the key is for the user; otherwise they choose a person if they may. */
  isOwn?: boolean;
  onClose: () => void;
}

/** Panel that makes an agent key, then shows it once with the set-up texts. */
export default function NewKeyPanel({ settings, isOwn = false, onClose }: NewKeyPanelProps) {
  const [secret, setSecret] = useState<AgentKeySecret>();
  return secret ? (
    <SecretPanel secret={secret} settings={settings} onClose={onClose} />
  ) : (
    <FormPanel {...{ settings, isOwn, onClose }} onMade={setSecret} />
  );
}

type FormPanelProps = Required<NewKeyPanelProps> & { onMade: (secret: AgentKeySecret) => void };

function FormPanel({ settings: { limits }, isOwn, onClose, onMade }: FormPanelProps) {
  const { user } = useSession();
  const { reason } = usePermission('createAgentKey');
  // Keys of others need Manage Settings (contract, createAgentKey).
  const others = usePermission('updateAgentSettings');
  const create = useWrite('createAgentKey', createAgentKeyMutation());
  const form = useForm<KeyValues>({
    resolver: zodResolver(keySchema),
    defaultValues: {
      name: '',
      userId: user.id,
      entryTypeIds: [],
      expiresInDays: DEFAULT_LIFETIME_DAYS,
      callsPerDay: '',
    },
  });
  const { isDirty } = form.formState;
  const { confirmClose, cancel } = usePanelGuard(isDirty, onClose);
  const { control } = form;
  const lifetime = useController({ control, name: 'expiresInDays' });
  const { types } = useSchemaNames();
  const submit = ({ callsPerDay, entryTypeIds, ...values }: KeyValues) =>
    create.mutate(
      {
        body: {
          ...values,
          entryTypeIds: entryTypeIds.length === 0 ? null : entryTypeIds,
          callsPerDay: callsPerDay === '' ? null : Number(callsPerDay),
        },
      },
      { onSuccess: onMade },
    );
  return (
    <Panel title="New agent key" onClose={onClose} confirmClose={confirmClose}>
      <Form
        form={form}
        pending={create.isPending}
        error={create.error}
        submitLabel="Create key"
        disabledReason={reason}
        onCancel={() => void cancel()}
        onSubmit={submit}
      >
        <TextField
          control={control}
          name="name"
          label="Name"
          placeholder="Deal analyst"
          hint="Names the agent in the ledger."
        />
        {!isOwn && others.allowed && <PersonField control={control} />}
        <MultiSelectField
          control={control}
          name="entryTypeIds"
          label="Allowed entry types"
          placeholder="All entry types"
          hint="Choose those that the task needs. Without a choice the agent reads what the person may read."
          options={types.map(toTypeOption)}
        />
        <LifetimeField
          value={lifetime.field.value}
          maxDays={limits.keyDays}
          error={lifetime.fieldState.error?.message}
          onChange={lifetime.field.onChange}
        />
        <TextField
          control={control}
          name="callsPerDay"
          label="Calls per day"
          optional
          inputMode="numeric"
          hint={`Limit for a day in UTC. Always limited to ${formatNumber(limits.callsPerMinute)} calls and ${formatNumber(limits.rowsPerMinute)} rows a minute.`}
        />
      </Form>
    </Panel>
  );
}

/** Person whose rights the agent gets. */
function PersonField({ control }: { control: KeyControl }) {
  const { user } = useSession();
  const { field, fieldState } = useController({ control, name: 'userId' });
  const name = usePersonName(field.value);
  return (
    <div className="agent-stack">
      <PersonPicker
        label="Person"
        placeholder="Name, e-mail or id"
        hint="The agent reads what this person may read, never more. The person needs the capability Use Agent Server."
        onSelect={field.onChange}
        getDisabledReason={(id) => (id === field.value ? 'Chosen' : undefined)}
      />
      <div className="agent-line">
        {field.value === user.id ? (
          <span className="agent-soft">
            For <b>{name}</b>
          </span>
        ) : (
          <RemovableChip label={name} onRemove={() => field.onChange(user.id)} />
        )}
      </div>
      <FieldNote id={undefined} error={fieldState.error?.message} />
    </div>
  );
}

interface SecretPanelProps {
  secret: AgentKeySecret;
  settings: AgentSettings;
  onClose: () => void;
}

/** Shows a new key once; asks for confirmation before closing without copying it. */
function SecretPanel({ secret: { key, secret }, settings, onClose }: SecretPanelProps) {
  const { site } = useSession();
  const names = useSchemaNames();
  const [isCopied, setIsCopied] = useState(false);
  useUnsavedGuard(!isCopied, undefined, confirmCloseSecret);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(secret);
      announce('Copied');
      setIsCopied(true);
    } catch {
      // The clipboard is available in a secure context only.
      toast({ title: 'The browser does not allow copying here: select the key and copy it', tone: 'bad' });
    }
  };
  const close = async () => {
    if (isCopied || (await confirmCloseSecret())) onClose();
  };
  return (
    <Panel title={`Key “${key.name}”`} onClose={() => void close()}>
      <div className="agent-panel">
        <Banner tone="warn" title="The key is never shown again">
          Keep it like a password. Until {formatExactDate(key.expiresDate)}, anyone with the key can read what{' '}
          {key.userName} may read of {formatAllowedTypes(key.entryTypeIds, names)}.
        </Banner>
        <div className="agent-secret" onCopy={() => setIsCopied(true)}>
          <code aria-label="Agent key">{secret}</code>
        </div>
        <div className="agent-line">
          <Button variant="primary" icon={Copy} onClick={() => void copy()}>
            {isCopied ? 'Copied' : 'Copy the key'}
          </Button>
          <Button onClick={() => void close()}>Done</Button>
        </div>
        <h3>Set up a client</h3>
        <SetUpTexts address={settings.address} site={site.slug} />
      </div>
    </Panel>
  );
}

const confirmCloseSecret = (): Promise<boolean> =>
  confirm({
    title: 'Close without copying the key?',
    body: 'It is never shown again. Without it the key is useless: revoke it and make another one.',
    action: 'Close',
    cancel: 'Back to the key',
    danger: true,
  });
