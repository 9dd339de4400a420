import { zodResolver } from '@hookform/resolvers/zod';
import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useDeferredValue } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { toServiceError } from '../../../api/errors.ts';
import { rehearseApprovedAddressesOptions } from '../../../api/generated/@tanstack/react-query.gen.ts';
import { listApprovedAddresses, updateApprovedAddresses } from '../../../api/generated/sdk.gen.ts';
import { useAllowed } from '../../../api/session.ts';
import { useStored } from '../../../api/stored.ts';
import { counted } from '../../../lib/numbers.ts';
import { useUnsavedGuard } from '../../../shell/unsaved.ts';
import { confirm } from '../../../ui/dialog/confirm.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { toast } from '../../../ui/feedback/toast.ts';
import { Form } from '../../../ui/form/Form.tsx';
import { Card } from '../../../ui/layout/Card.tsx';
import { addressesSchema, filled, rehearsable, valuesOf } from './-address-form.ts';
import type { AddressValues } from './-address-form.ts';
import { AddressRows } from './-AddressRows.tsx';
import { RehearsalCard } from './-RehearsalCard.tsx';
import { addressesQuery } from './-settings-query.ts';
import './-settings.css';

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
