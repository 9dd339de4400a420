import { zodResolver } from '@hookform/resolvers/zod';
import { useQuery } from '@tanstack/react-query';
import { Copy } from 'lucide-react';
import { useState } from 'react';
import { type Control, useController, useForm, useWatch } from 'react-hook-form';
import type { Destination } from '../../../../contract/generated/types.gen.ts';
import { useConditionalSave } from '../../../api/conditional-save.ts';
import type { ServiceError } from '../../../api/errors.ts';
import type { WithEtag } from '../../../api/etag.ts';
import {
  createDestination,
  getDestination,
  updateDestination,
} from '../../../api/generated/sdk/publications.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { ConflictBanner } from '../../../app/freshness/ConflictBanner.tsx';
import { Button } from '../../../ui/button/Button.tsx';
import { confirm } from '../../../ui/dialog/confirm.ts';
import { Dialog } from '../../../ui/dialog/Dialog.tsx';
import { Panel } from '../../../ui/dialog/Panel.tsx';
import { usePanelGuard, useUnsavedGuard } from '../../../ui/dialog/unsaved-work.ts';
import { Form } from '../../../ui/form/Form.tsx';
import { PasswordField } from '../../../ui/form/PasswordField.tsx';
import { SegmentedControl } from '../../../ui/form/SegmentedControl.tsx';
import { SelectField } from '../../../ui/form/select/SelectField.tsx';
import { TextField } from '../../../ui/form/TextField.tsx';
import { toast } from '../../../ui/toast.ts';
import {
  destinationSchema,
  toDestinationChange,
  toDestinationInput,
  toNewDestination,
} from '../model/destinations.ts';
import type { DestinationInput, DestinationValues, SignIn } from '../model/destinations.ts';
import { topicsQuery } from '../model/queries.ts';
import './publications.css';

interface DestinationPanelProps {
  onClose: () => void;
  onSaved: (destination: Destination) => void;
}

/** Panel that creates a destination. */
export function DestinationPanel({ onClose, onSaved }: DestinationPanelProps) {
  const create = useWrite('createDestination', {
    mutationFn: async (values: DestinationValues) =>
      (await createDestination({ body: toNewDestination(values) })).data,
  });
  const { reason } = usePermission('createDestination');
  return (
    <DestinationForm
      title="New destination"
      submitLabel="Create destination"
      error={create.error}
      reason={reason}
      onClose={onClose}
      onSubmit={async (values) => {
        const created = await create.mutateAsync(values).catch(() => undefined);
        if (created) onSaved(created);
      }}
    />
  );
}

/** Panel that edits name and address of a destination, and the subject and sign-in of one of NATS. */
export function EditDestinationPanel({
  destination,
  onClose,
}: {
  destination: WithEtag<Destination>;
  onClose: () => void;
}) {
  // Editing starts with this state: a later reading must not replace what was typed.
  const [initial] = useState(destination);
  const path = { destinationId: initial.data.id };
  const { reason } = usePermission('updateDestination');
  const { base, hasConflict, error, save } = useConditionalSave({
    initial,
    operation: 'updateDestination',
    write: (values: DestinationValues, match) =>
      updateDestination({ path, body: toDestinationChange(values), ...match }),
    read: () => getDestination({ path }),
  });
  return (
    <DestinationForm
      title={`Edit ${initial.data.name}`}
      submitLabel="Save"
      stored={initial.data}
      error={error}
      reason={reason}
      conflict={hasConflict ? `It is now ${base.name} at ${base.url}.` : undefined}
      onClose={onClose}
      onSubmit={async (values) => {
        const saved = await save(values);
        if (!saved) return;
        toast({ title: `${saved.name} was saved` });
        onClose();
      }}
    />
  );
}

interface DestinationFormProps {
  title: string;
  submitLabel: string;
  /** A stored destination, whose topic and kind cannot change. */
  stored?: Destination;
  error: ServiceError | null | undefined;
  reason: string | undefined;
  /** What another user has saved in the meantime. */
  conflict?: string | undefined;
  onClose: () => void;
  onSubmit: (values: DestinationValues) => Promise<void>;
}

function DestinationForm(props: DestinationFormProps) {
  const { title, submitLabel, stored, error, reason, conflict, onClose, onSubmit } = props;
  const { data: topics = [] } = useQuery(topicsQuery);
  const form = useForm<DestinationInput, unknown, DestinationValues>({
    resolver: zodResolver(destinationSchema),
    defaultValues: toDestinationInput(stored),
  });
  const kind = useWatch({ control: form.control, name: 'kind' });
  const { isDirty, isSubmitting } = form.formState;
  const { confirmClose, cancel } = usePanelGuard(isDirty, onClose);
  return (
    <Panel title={title} onClose={onClose} confirmClose={confirmClose}>
      <Form
        form={form}
        pending={isSubmitting}
        error={error}
        submitLabel={submitLabel}
        disabledReason={reason}
        onCancel={() => void cancel()}
        onSubmit={onSubmit}
      >
        {conflict !== undefined && (
          <ConflictBanner
            action="destination.update"
            subjectType="destination"
            subjectId={stored?.id ?? 0}
            what="the destination"
          >
            {conflict} Your changes are not saved yet. Saving again replaces it with yours.
          </ConflictBanner>
        )}
        {!stored && (
          <SelectField
            control={form.control}
            name="topicId"
            label="Topic"
            placeholder="Choose a topic"
            hint="Its events are sent from the creation of the destination on."
            options={topics.map(({ id, name }) => ({ value: id, label: name }))}
          />
        )}
        {!stored && <KindField control={form.control} />}
        <TextField control={form.control} name="name" label="Name" placeholder="Warehouse" />
        <TextField
          control={form.control}
          name="url"
          label="Address"
          type="url"
          placeholder={
            kind === 'JetStream' ? 'tls://nats.example.com:4222' : 'https://hooks.example.com/steward'
          }
          hint={`${kind === 'JetStream' ? 'With TLS (tls://).' : 'HTTPS.'} The rules of the service for outgoing requests must allow it.`}
        />
        {kind === 'JetStream' && (
          <NatsFields control={form.control} hasStoredCredentials={stored?.hasCredentials === true} />
        )}
      </Form>
    </Panel>
  );
}

type DestinationControl = Control<DestinationInput, unknown, DestinationValues>;

const KINDS = [
  { value: 'Webhook', label: 'HTTPS' },
  { value: 'JetStream', label: 'NATS JetStream' },
] as const;

function KindField({ control }: { control: DestinationControl }) {
  const { field } = useController({ control, name: 'kind' });
  return (
    <div className="field">
      <span className="field-label" aria-hidden>
        Kind
      </span>
      <SegmentedControl label="Kind" options={KINDS} value={field.value} onChange={field.onChange} />
      <span className="field-hint">
        {field.value === 'Webhook'
          ? 'A signed request for each event (Standard Webhooks).'
          : 'A message for each event to a subject of a stream. Its stream drops doubles by Nats-Msg-Id.'}
      </span>
    </div>
  );
}

const SIGN_IN_OPTIONS: readonly { value: SignIn; label: string }[] = [
  { value: 'none', label: 'Without credentials' },
  { value: 'password', label: 'User and password' },
  { value: 'token', label: 'Token' },
  { value: 'file', label: 'Credentials file' },
];
const KEEP_OPTION: { value: SignIn; label: string } = { value: 'keep', label: 'Keep the stored credentials' };

/** Subject and credentials of a destination of NATS. */
function NatsFields({
  control,
  hasStoredCredentials,
}: {
  control: DestinationControl;
  hasStoredCredentials: boolean;
}) {
  const signIn = useWatch({ control, name: 'signIn' });
  return (
    <>
      <TextField
        control={control}
        name="subject"
        label="Subject"
        placeholder="steward.deals"
        hint="A stream of the server must take it."
      />
      <SelectField
        control={control}
        name="signIn"
        label="Sign-in"
        options={hasStoredCredentials ? [KEEP_OPTION, ...SIGN_IN_OPTIONS] : SIGN_IN_OPTIONS}
        {...(hasStoredCredentials && {
          hint: 'Stored credentials are not sent to another address: enter them again with a new one.',
        })}
      />
      {signIn === 'password' && (
        <>
          <TextField control={control} name="user" label="User" />
          <PasswordField control={control} name="password" label="Password" autoComplete="new-password" />
        </>
      )}
      {signIn === 'token' && (
        <PasswordField control={control} name="token" label="Token" autoComplete="new-password" />
      )}
      {signIn === 'file' && (
        <TextField
          control={control}
          name="credentialsFile"
          label="Credentials file"
          rows={6}
          hint="The text of the .creds file. It is stored encrypted and never shown again."
        />
      )}
    </>
  );
}

/** Shows the signing key, which the service never answers again. */
export function SecretDialog({ destination, onClose }: { destination: Destination; onClose: () => void }) {
  const { name, secret = '' } = destination;
  const [isCopied, setIsCopied] = useState(false);
  useUnsavedGuard(!isCopied, undefined, confirmCloseSecret);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(secret);
      setIsCopied(true);
    } catch {
      // Browsers allow it only on a secure address.
      toast({ title: 'The browser does not allow copying here: select the key and copy it', tone: 'bad' });
    }
  };
  const close = async () => {
    if (isCopied || (await confirmCloseSecret())) onClose();
  };
  return (
    <Dialog
      title={`${name} was created`}
      role="alertdialog"
      onClose={() => void close()}
      footer={
        <>
          <Button onClick={() => void close()}>Close</Button>
          <Button variant="primary" icon={Copy} onClick={() => void copy()}>
            {isCopied ? 'Copied' : 'Copy the key'}
          </Button>
        </>
      }
    >
      <p>
        <strong>The signing key is never shown again.</strong> The receiver needs it to verify the signature
        of each request, with a library of Standard Webhooks.
      </p>
      <div className="pub-secret" onCopy={() => setIsCopied(true)}>
        <code aria-label="Signing key">{secret}</code>
      </div>
    </Dialog>
  );
}

const confirmCloseSecret = (): Promise<boolean> =>
  confirm({
    title: 'Close without copying the key?',
    body: 'It is never shown again. Without it the receiver cannot verify that requests are from this site; a new destination has a new key.',
    action: 'Close',
    cancel: 'Back to the key',
    danger: true,
  });
