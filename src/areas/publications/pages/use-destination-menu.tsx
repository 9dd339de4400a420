import { Pause, Play, Send, Trash2 } from 'lucide-react';
import type {
  Destination,
  UpdateDestinationData,
  ResendEventsData,
  DeleteDestinationData,
} from '../../../../contract/generated/types.gen.ts';
import type { Options } from '../../../api/generated/sdk.gen.ts';
import {
  deleteDestination,
  resendEvents,
  updateDestination,
} from '../../../api/generated/sdk/publications.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { toastFailedWrite } from '../../../app/state/failed-write.ts';
import { pluralize } from '../../../lib/numbers.ts';
import { confirmIrreversible } from '../../../ui/dialog/confirm-irreversible.tsx';
import type { MenuItems } from '../../../ui/menu/menu-items.ts';
import { toast } from '../../../ui/toast.ts';

/** Switches a destination on and off, and sends what it has not got. */
export function useDestinationActions() {
  const update = useWrite('updateDestination', {
    mutationFn: (options: Options<UpdateDestinationData, true>) => updateDestination(options),
  });
  const resend = useWrite('resendEvents', {
    mutationFn: (options: Options<ResendEventsData, true>) => resendEvents(options),
  });
  const { reason } = usePermission('updateDestination');
  const setEnabled = async ({ id, name, etag }: Destination, isEnabled: boolean) => {
    try {
      await update.mutateAsync({
        path: { destinationId: id },
        body: { isEnabled },
        headers: { 'If-Match': etag },
      });
      toast({ title: isEnabled ? `${name} is switched on` : `${name} is switched off` });
    } catch (thrown) {
      toastFailedWrite(name, 'changed', thrown);
    }
  };
  /** Continues at once with the first event that was not delivered. */
  const sendMissing = async (destination: Destination) => {
    const { id, name, lag, isEnabled } = destination;
    if (!isEnabled) {
      await setEnabled(destination, true);
      return;
    }
    try {
      await resend.mutateAsync({ path: { destinationId: id }, body: { since: new Date().toISOString() } });
      toast({ title: `${pluralize(lag, 'event is', 'events are')} being sent to ${name}` });
    } catch (thrown) {
      toastFailedWrite(name, 'changed', thrown);
    }
  };
  return { setEnabled, sendMissing, reason, isPending: update.isPending || resend.isPending };
}

/** Menu of a destination. */
export function useDestinationMenu(onDeleted?: () => void): (destination: Destination) => MenuItems {
  const { setEnabled, sendMissing, reason } = useDestinationActions();
  const deletion = useWrite('deleteDestination', {
    mutationFn: (options: Options<DeleteDestinationData, true>) => deleteDestination(options),
  });
  const deletePermission = usePermission('deleteDestination');
  const remove = async ({ id, name, topicName, lag, etag }: Destination) => {
    const isDeleted = await confirmIrreversible({
      title: `Delete the destination ${name}?`,
      irreversible: 'Its log of attempts and its signing key are deleted.',
      breaks: `${pluralize(lag, 'event', 'events')} of ${topicName} that it has not got, and all later ones, are not sent to it.`,
      affects: 'The receiver at its address.',
      action: 'Delete destination',
      run: () => deletion.mutateAsync({ path: { destinationId: id }, headers: { 'If-Match': etag } }),
    });
    if (!isDeleted) return;
    toast({ title: `${name} was deleted` });
    onDeleted?.();
  };
  return (destination) => [
    {
      label: 'Send all missing now',
      hint: destination.isEnabled ? 'In order, without waiting for the next attempt' : 'Switches it on',
      icon: Send,
      disabledReason: reason ?? (destination.lag === 0 ? 'Every event was delivered' : undefined),
      onSelect: () => void sendMissing(destination),
    },
    destination.isEnabled
      ? {
          label: 'Switch off',
          hint: 'Events wait and are kept for 9 days',
          icon: Pause,
          disabledReason: reason,
          onSelect: () => void setEnabled(destination, false),
        }
      : {
          label: 'Switch on',
          hint: 'Continues with the first event that was not delivered',
          icon: Play,
          disabledReason: reason,
          onSelect: () => void setEnabled(destination, true),
        },
    'line',
    {
      label: 'Delete',
      icon: Trash2,
      danger: true,
      disabledReason: deletePermission.reason,
      onSelect: () => void remove(destination),
    },
  ];
}
