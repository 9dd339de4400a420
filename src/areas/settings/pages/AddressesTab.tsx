import { zodResolver } from '@hookform/resolvers/zod';
import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Plus, X } from 'lucide-react';
import { memo, useDeferredValue, useRef, useState } from 'react';
import { useForm, useFormState, useWatch, useFieldArray } from 'react-hook-form';
import type { Control } from 'react-hook-form';
import type { AddressRehearsal } from '../../../../contract/generated/types.gen.ts';
import { useConditionalSave } from '../../../api/conditional-save.ts';
import { toServiceError } from '../../../api/errors.ts';
import type { ServiceError } from '../../../api/errors.ts';
import { withEtag } from '../../../api/etag.ts';
import {
  rehearseApprovedAddressesOptions,
  updateApprovedAddressesMutation,
} from '../../../api/generated/queries/settings.gen.ts';
import { listApprovedAddresses, updateApprovedAddresses } from '../../../api/generated/sdk/settings.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { ConflictBanner } from '../../../app/freshness/ConflictBanner.tsx';
import { toastUndoable } from '../../../app/state/undo.ts';
import { pluralize } from '../../../lib/numbers.ts';
import { endSentence } from '../../../lib/text/sentences.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { confirm } from '../../../ui/dialog/confirm.ts';
import { useUnsavedGuard } from '../../../ui/dialog/unsaved-work.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { focusNeighbour } from '../../../ui/focus-neighbour.ts';
import { Form } from '../../../ui/form/Form.tsx';
import { TextField } from '../../../ui/form/TextField.tsx';
import { trackInput } from '../../../ui/form/track-input.ts';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import {
  addNetwork,
  addressesSchema,
  toAddresses,
  toLineErrors,
  getValidNetworks,
  toAddressValues,
} from '../model/address-form.ts';
import type { AddressValues } from '../model/address-form.ts';
import { addressesQuery } from '../model/settings-query.ts';
import { RehearsedPeople, SuggestedNetworks } from '../rehearsal/RehearsalParts.tsx';
import './settings.css';

const route = getRouteApi('/_app/settings/addresses');

/** Approved addresses for users with IP restrictions (spec 5.4). Changes are rehearsed against the last 90 days before saving. */
export function AddressesTab() {
  // An undone change is read into a new form.
  const [undoneChanges, setUndoneChanges] = useState(0);
  return <AddressesForm key={undoneChanges} onReverted={() => setUndoneChanges((count) => count + 1)} />;
}

function AddressesForm({ onReverted }: { onReverted: () => void }) {
  const { reason } = usePermission('updateApprovedAddresses');
  const client = useQueryClient();
  const revert = useWrite('updateApprovedAddresses', updateApprovedAddressesMutation());
  const { base, hasConflict, error, save } = useConditionalSave({
    initial: useSuspenseQuery(addressesQuery).data,
    operation: 'updateApprovedAddresses',
    write: (values: AddressValues, match) =>
      updateApprovedAddresses({ body: { addresses: toAddresses(values) }, ...match }).catch(
        (thrown: unknown) => {
          throw toLineErrors(toServiceError(thrown), values);
        },
      ),
    read: () => listApprovedAddresses(),
  });
  const form = useForm({
    resolver: zodResolver(addressesSchema),
    defaultValues: addNetwork(toAddressValues(base.addresses), route.useSearch().add),
  });
  const { isDirty, isSubmitting } = form.formState;
  useUnsavedGuard(isDirty);
  // The rehearsal follows the input with low priority.
  const values = useDeferredValue(useWatch({ control: form.control, compute: selectAddresses }));
  const networks = getValidNetworks(values);
  const rehearsal = useQuery({
    ...createRehearsalQuery(networks ?? []),
    enabled: networks !== undefined,
    placeholderData: (previous) => previous,
  });
  const { yourAddress, isYourAddressApproved, restrictedUsers } = base;
  const isListed = networks?.includes(yourAddress) ?? false;

  const submit = async (typed: AddressValues) => {
    const takeStored = trackInput(form);
    // The rehearsal on screen may be outdated: the submitted list is rehearsed again.
    const current = await client
      .fetchQuery(createRehearsalQuery(getValidNetworks(typed) ?? []))
      .catch(() => rehearsal.data);
    if (!(await confirmLockOut(current?.lockedOut ?? 0))) return;
    const before = toAddresses(toAddressValues(base.addresses));
    const stored = await save(typed);
    if (!stored) return;
    takeStored(toAddressValues(stored.addresses));
    toastUndoable({
      title: 'Approved addresses saved',
      subject: 'the approved addresses',
      undone: 'The approved addresses are as before',
      readVersion: async () => withEtag(await listApprovedAddresses()).etag,
      revert: async ({ headers }) => {
        await revert.mutateAsync({ body: { addresses: before }, ...(headers && { headers }) });
        await client.fetchQuery({ ...addressesQuery, staleTime: 0 });
        onReverted();
      },
    });
  };

  return (
    <div className="set-columns">
      <Card title="Approved addresses">
        <div className="card-body set-outcome">
          <p className="set-soft">
            {pluralize(restrictedUsers, 'active user has', 'active users have')} IP restrictions and can sign
            in and call the API from these addresses only. Your address is {yourAddress}
            {isYourAddressApproved ? ', which is approved.' : ', which is not approved.'}
          </p>
          <Form
            form={form}
            pending={isSubmitting}
            error={error}
            submitLabel="Save"
            disabledReason={reason}
            onSubmit={submit}
            keepsInput
          >
            {hasConflict && (
              <ConflictBanner action="site.addresses" subjectType="site" what="the list">
                It now has {pluralize(base.addresses.length, 'address', 'addresses')}:{' '}
                {base.addresses.map(({ network }) => network).join(', ')}. Your changes are not saved yet.
                Saving again replaces the list with yours.
              </ConflictBanner>
            )}
            <AddressRows
              control={form.control}
              ownAddress={isYourAddressApproved || isListed ? undefined : yourAddress}
            />
          </Form>
        </div>
      </Card>
      <RehearsalCard
        rehearsal={rehearsal.data}
        error={rehearsal.error === null ? undefined : toServiceError(rehearsal.error)}
        onRetry={() => void rehearsal.refetch()}
        isReady={networks !== undefined}
        onAdd={(network) =>
          form.setValue('addresses', addNetwork(form.getValues(), network).addresses, { shouldDirty: true })
        }
      />
    </div>
  );
}

const createRehearsalQuery = (addresses: string[]) =>
  rehearseApprovedAddressesOptions({ body: { addresses } });

const selectAddresses = ({ addresses }: AddressValues): AddressValues => ({ addresses });

const confirmLockOut = (lockedOut: number): Promise<boolean> | true =>
  lockedOut === 0 ||
  confirm({
    title: `Lock out ${pluralize(lockedOut, 'user', 'users')}?`,
    body: 'In the last 90 days they used an address outside this list. They and their programs will be refused from there.',
    action: 'Save list',
    danger: true,
  });

interface AddressRowsProps {
  control: Control<AddressValues, unknown, AddressValues>;
  /** IP address of the current session; undefined if it is in the list. */
  ownAddress: string | undefined;
}

/** One line per network, with a note. Memoized: the form renders with each key, and a list may have 1,000 lines. */
const AddressRows = memo(({ control, ownAddress }: AddressRowsProps) => {
  const { fields, append, remove } = useFieldArray({ control, name: 'addresses' });
  const addButton = useRef<HTMLButtonElement>(null);
  // An error of the whole list, such as one that would lock out who saves it; the others stand at their lines.
  const { addresses: errors } = useFormState({ control, name: 'addresses' }).errors;
  const listError = errors?.message ?? errors?.root?.message;
  return (
    <>
      {fields.length === 0 && (
        <p className="set-soft">No addresses are approved: users with IP restrictions cannot sign in.</p>
      )}
      {fields.length > 0 && (
        // Visual column headers; each field has its own label.
        <div className="set-line set-line-head" aria-hidden="true">
          <span>Address or network</span>
          <span>Note</span>
        </div>
      )}
      <ul className="set-lines" aria-label="Approved addresses">
        {fields.map((field, at) => (
          <li key={field.id} className="set-line">
            <TextField
              control={control}
              name={`addresses.${at}.network`}
              label={`Address or network ${at + 1}`}
              placeholder="203.0.113.0/24"
            />
            <TextField control={control} name={`addresses.${at}.note`} label={`Note ${at + 1}`} />
            <IconButton
              label={`Remove line ${at + 1}`}
              icon={X}
              removesRow
              onClick={({ currentTarget }) => {
                if (fields.length === 1) addButton.current?.focus();
                else focusNeighbour(currentTarget);
                remove(at);
              }}
            />
          </li>
        ))}
      </ul>
      {/* Below the lines, which may be many, and beside the button that was pressed. */}
      {listError !== undefined && (
        <Banner tone="bad" title="The list was not saved">
          {endSentence(listError)}
        </Banner>
      )}
      <span className="set-buttons">
        <Button ref={addButton} size="small" icon={Plus} onClick={() => append({ network: '', note: '' })}>
          Add line
        </Button>
        {ownAddress !== undefined && (
          <Button size="small" onClick={() => append({ network: ownAddress, note: '' })}>
            Add my address {ownAddress}
          </Button>
        )}
      </span>
    </>
  );
});

interface RehearsalCardProps {
  rehearsal: AddressRehearsal | undefined;
  error: ServiceError | undefined;
  onRetry: () => void;
  /** Whether every line is valid, so that the list can be rehearsed. */
  isReady: boolean;
  /** Adds a line for a network. */
  onAdd: (network: string) => void;
}

/** Users who, in the last 90 days, used an address that the list does not approve. */
function RehearsalCard({ rehearsal, error, onRetry, isReady, onAdd }: RehearsalCardProps) {
  return (
    <Card title="Who would be locked out">
      {error ? (
        <ErrorState title="The list could not be tested" onRetry={onRetry} requestId={error.requestId}>
          {error.message}
        </ErrorState>
      ) : !isReady ? (
        <CardBody>
          <p className="set-soft">
            The list is checked against the last 90 days once every line is a valid address.
          </p>
        </CardBody>
      ) : rehearsal ? (
        <RehearsalResult rehearsal={rehearsal} onAdd={onAdd} />
      ) : (
        <CardBody>
          <Skeleton width="60%" />
        </CardBody>
      )}
    </Card>
  );
}

function RehearsalResult({
  rehearsal,
  onAdd,
}: {
  rehearsal: AddressRehearsal;
  onAdd: RehearsalCardProps['onAdd'];
}) {
  const { lockedOut, wouldBeLockedOut, restrictedUsers, places, suggestions } = rehearsal;
  return (
    <CardBody>
      <div className="set-outcome">
        <Banner tone={lockedOut > 0 ? 'warn' : 'ok'}>
          {lockedOut > 0
            ? `${pluralize(lockedOut, 'user', 'users')} of ${restrictedUsers} with IP restrictions used an address outside this list in the last 90 days.`
            : restrictedUsers > 0
              ? `None of the ${pluralize(restrictedUsers, 'user', 'users')} with IP restrictions used an address outside this list in the last 90 days.`
              : 'No active user has IP restrictions: the list has no effect yet.'}
          {wouldBeLockedOut > 0 &&
            ` ${pluralize(wouldBeLockedOut, 'user', 'users')} without IP restrictions would be locked out if they were restricted.`}
        </Banner>
        <SuggestedNetworks
          suggestions={suggestions}
          renderAction={({ network }) => (
            <Button size="small" icon={Plus} aria-label={`Add ${network}`} onClick={() => onAdd(network)}>
              Add
            </Button>
          )}
        />
        <RehearsedPeople places={places} />
      </div>
    </CardBody>
  );
}
