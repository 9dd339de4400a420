import { zodResolver } from '@hookform/resolvers/zod';
import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useDeferredValue } from 'react';
import { useForm, useWatch, useFieldArray } from 'react-hook-form';
import { Plus, X } from 'lucide-react';
import type { Control } from 'react-hook-form';
import { Link } from '@tanstack/react-router';
import { toServiceError } from '../../../api/errors.ts';
import { rehearseApprovedAddressesOptions } from '../../../api/generated/@tanstack/react-query.gen.ts';
import { listApprovedAddresses, updateApprovedAddresses } from '../../../api/generated/sdk.gen.ts';
import { useAllowed } from '../../../api/session.ts';
import { useStored } from '../../../api/stored.ts';
import { counted } from '../../../lib/numbers.ts';
import { useUnsavedGuard } from '../../../ui/form/unsaved.ts';
import { confirm } from '../../../ui/dialog/confirm.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { toast } from '../../../ui/feedback/toast.ts';
import { Form } from '../../../ui/form/Form.tsx';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import { addressesSchema, filled, rehearsable, valuesOf, byPerson } from '../model/address-form.ts';
import type { AddressValues } from '../model/address-form.ts';
import { addressesQuery } from '../model/settings-query.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { TextField } from '../../../ui/form/TextField.tsx';
import type { AddressRehearsal } from '../../../api/generated/types.gen.ts';
import type { ServiceError } from '../../../api/errors.ts';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Moment } from '../../../ui/layout/Moment.tsx';
import './settings.css';

/** From where users with IP restrictions may act (spec 5.4), with a rehearsal of every change before it is saved. */
export function AddressesTab() {
  const { reason } = useAllowed('updateApprovedAddresses');
  const client = useQueryClient();
  const { base, wasStale, error, store } = useStored({
    start: useSuspenseQuery(addressesQuery).data,
    operation: 'updateApprovedAddresses',
    write: (values: AddressValues, match) =>
      updateApprovedAddresses({ body: { addresses: filled(values) }, ...match }),
    read: () => listApprovedAddresses(),
  });
  const form = useForm({
    resolver: zodResolver(addressesSchema),
    defaultValues: valuesOf(base.addresses),
  });
  const { isDirty, isSubmitting } = form.formState;
  useUnsavedGuard(isDirty);
  // A line is typed letter by letter: what is rehearsed follows when there is time.
  const values = useDeferredValue(useWatch({ control: form.control, compute: filledValues }));
  const networks = rehearsable(values);
  const rehearsal = useQuery({
    ...rehearsalOf(networks ?? []),
    enabled: networks !== undefined,
    placeholderData: (before) => before,
  });
  const { yourAddress, isYourAddressApproved, restrictedUsers } = base;
  const isListed = networks?.includes(yourAddress) ?? false;

  const submit = async (typed: AddressValues) => {
    // What is shown may be of the line before: what is saved is what is rehearsed.
    const now = await client.fetchQuery(rehearsalOf(rehearsable(typed) ?? [])).catch(() => rehearsal.data);
    if (!(await agree(now?.lockedOut ?? 0))) return;
    const stored = await store(typed);
    if (!stored) return;
    form.reset(valuesOf(stored.addresses));
    toast({ title: 'The approved addresses were saved' });
  };

  return (
    <div className="set-columns">
      <Card title="Approved addresses">
        <div className="card-body set-outcome">
          <p className="set-soft">
            {counted(restrictedUsers, 'active user has', 'active users have')} IP restrictions: these
            addresses are the only ones from which they may sign in and call the interface. You come from{' '}
            {yourAddress}
            {isYourAddressApproved ? ', which is approved.' : ', which is not approved.'}
          </p>
          <Form
            form={form}
            pending={isSubmitting}
            error={error}
            submit="Save"
            disabledReason={reason}
            onSubmit={submit}
          >
            {wasStale && (
              <Banner tone="warn" title="Somebody else changed the list while you were typing">
                They approve {counted(base.addresses.length, 'address', 'addresses')} now:{' '}
                {base.addresses.map(({ network }) => network).join(', ')}. Nothing of yours is saved yet; save
                again to put yours in its place.
              </Banner>
            )}
            <AddressRows
              control={form.control}
              missing={isYourAddressApproved || isListed ? undefined : yourAddress}
            />
          </Form>
        </div>
      </Card>
      <RehearsalCard
        rehearsal={rehearsal.data}
        error={rehearsal.error === null ? undefined : toServiceError(rehearsal.error)}
        onRetry={() => void rehearsal.refetch()}
        isReady={networks !== undefined}
      />
    </div>
  );
}

const rehearsalOf = (addresses: string[]) => rehearseApprovedAddressesOptions({ body: { addresses } });

const filledValues = ({ addresses }: AddressValues): AddressValues => ({ addresses });

const agree = (lockedOut: number): Promise<boolean> | true =>
  lockedOut === 0 ||
  confirm({
    title: `Lock out ${counted(lockedOut, 'user', 'users')}?`,
    body: 'In the last 90 days they came from an address outside this list. From there they can no longer sign in, and their programs no longer call the interface.',
    action: 'Save the list',
    danger: true,
  });

interface AddressRowsProps {
  control: Control<AddressValues, unknown, AddressValues>;
  /** The address of the person at work; undefined when it is in the list. */
  missing: string | undefined;
}

/** The networks, a line each with what it is. */
function AddressRows({ control, missing }: AddressRowsProps) {
  const { fields, append, remove } = useFieldArray({ control, name: 'addresses' });
  return (
    <>
      {fields.length === 0 && (
        <p className="set-soft">
          No address is approved yet: users with IP restrictions cannot sign in from anywhere.
        </p>
      )}
      {fields.length > 0 && (
        // Each field has its own label; these head the columns for the eye.
        <div className="set-line set-line-head" aria-hidden="true">
          <span>Address or network</span>
          <span>What it is</span>
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
              maxLength={64}
            />
            <TextField
              control={control}
              name={`addresses.${at}.note`}
              label={`What it is ${at + 1}`}
              maxLength={200}
            />
            <IconButton label={`Remove line ${at + 1}`} icon={X} onClick={() => remove(at)} />
          </li>
        ))}
      </ul>
      <span className="set-buttons">
        <Button size="small" icon={Plus} onClick={() => append({ network: '', note: '' })}>
          Add line
        </Button>
        {missing !== undefined && (
          <Button size="small" onClick={() => append({ network: missing, note: '' })}>
            Add my address {missing}
          </Button>
        )}
      </span>
    </>
  );
}

interface RehearsalCardProps {
  rehearsal: AddressRehearsal | undefined;
  error: ServiceError | undefined;
  onRetry: () => void;
  /** Whether the list above can be rehearsed: every line is an address. */
  isReady: boolean;
}

/** Shows so many people; the counts tell of all. */
const SHOWN = 50;

/** Who came in the last 90 days from an address that the list above would not approve. */
function RehearsalCard({ rehearsal, error, onRetry, isReady }: RehearsalCardProps) {
  return (
    <Card title="Who would have been locked out">
      {error ? (
        <ErrorState title="The list could not be rehearsed" onRetry={onRetry} requestId={error.requestId}>
          {error.message}
        </ErrorState>
      ) : !isReady ? (
        <CardBody>
          <p className="set-soft">
            As soon as every line is an address, the last 90 days are played against the list.
          </p>
        </CardBody>
      ) : rehearsal ? (
        <Outcome rehearsal={rehearsal} />
      ) : (
        <CardBody>
          <Skeleton width="60%" />
        </CardBody>
      )}
    </Card>
  );
}

function Outcome({ rehearsal }: { rehearsal: AddressRehearsal }) {
  const { lockedOut, wouldBeLockedOut, restrictedUsers, places } = rehearsal;
  const people = byPerson(places);
  return (
    <CardBody>
      <div className="set-outcome">
        <Banner tone={lockedOut > 0 ? 'warn' : 'ok'}>
          {lockedOut > 0
            ? `${counted(lockedOut, 'user', 'users')} of ${restrictedUsers} with IP restrictions came from an address outside this list in the last 90 days.`
            : restrictedUsers > 0
              ? `None of the ${counted(restrictedUsers, 'user', 'users')} with IP restrictions came from an address outside this list in the last 90 days.`
              : 'No active user has IP restrictions: the list holds for nobody yet.'}
          {wouldBeLockedOut > 0 &&
            ` ${counted(wouldBeLockedOut, 'user', 'users')} without IP restrictions would be locked out, were they restricted.`}
        </Banner>
        <ul className="set-people" aria-label="People outside the list">
          {people.slice(0, SHOWN).map(({ person, from }) => (
            <li key={person.userId}>
              <span className="set-person">
                <Link to="/users/$userId" params={{ userId: person.userId }}>
                  {person.fullName || person.userName}
                </Link>
                {person.ipRestrictionsEnabled ? (
                  <Badge tone="warn">Restricted</Badge>
                ) : (
                  <Badge>Not restricted</Badge>
                )}
                {!person.isActive && <Badge>Inactive</Badge>}
              </span>
              <span className="set-places">
                {from.map(({ ipAddress, count, lastDate }) => (
                  <span key={ipAddress}>
                    {ipAddress}, {counted(count, 'time', 'times')}, last <Moment at={lastDate} />
                  </span>
                ))}
              </span>
            </li>
          ))}
        </ul>
        {people.length > SHOWN && <p className="set-soft">And {people.length - SHOWN} more people.</p>}
      </div>
    </CardBody>
  );
}
