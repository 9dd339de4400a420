import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { NotificationChannels, NotificationSettings } from '../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../api/errors.ts';
import { updateNotificationSettingsMutation } from '../../api/generated/queries/notifications.gen.ts';
import { useWrite } from '../../api/write.ts';
import { toastFailedWrite } from '../../app/state/failed-write.ts';
import { ErrorState } from '../../ui/feedback/ErrorState.tsx';
import { Card } from '../../ui/layout/Card.tsx';
import { Spinner } from '../../ui/Spinner.tsx';
import { toast } from '../../ui/toast.ts';
import { settingsQuery } from './model.ts';
import './notifications.css';

const CATEGORIES: readonly { name: keyof NotificationSettings; title: string; description: string }[] = [
  {
    name: 'jobFinished',
    title: 'A job finished',
    description: 'Your jobs with several items, if every item succeeded.',
  },
  {
    name: 'jobFailed',
    title: 'A job failed',
    description: 'Your jobs that stopped, or had failed or skipped items.',
  },
  {
    name: 'alert',
    title: 'Action needed',
    description: 'Failed backups and background work that you manage, and your API key before it expires.',
  },
];

const CHANNELS: readonly { name: keyof NotificationChannels; title: string }[] = [
  { name: 'inConsole', title: 'Console' },
  { name: 'byMail', title: 'Mail' },
  { name: 'inBrowser', title: 'Browser' },
];

/** Asks the browser for its permission. @returns why it shows no notifications */
async function findBrowserRefusal(): Promise<string | undefined> {
  if (!('Notification' in globalThis)) return 'This browser cannot show notifications.';
  if ((await Notification.requestPermission()) === 'granted') return undefined;
  return 'Allow notifications of this site in the settings of the browser first.';
}

/** Where the own notifications go; each change applies at once. */
export function NotificationsCard() {
  const { data, error, refetch } = useQuery(settingsQuery);
  const update = useWrite('updateNotificationSettings', updateNotificationSettingsMutation());
  // The choice that is being saved; shown at once, also while the browser asks, and taken back after an error.
  const [choice, setChoice] = useState<NotificationSettings>();
  const shown = choice ?? data;

  const change = async (body: NotificationSettings, asksBrowser: boolean) => {
    setChoice(body);
    try {
      const refusal = asksBrowser ? await findBrowserRefusal() : undefined;
      if (refusal === undefined) await update.mutateAsync({ body });
      else toast({ tone: 'bad', title: 'The browser shows no notifications', description: refusal });
    } catch (thrown) {
      toastFailedWrite('The choice', 'saved', thrown);
    }
    setChoice(undefined);
  };

  return (
    <div id="notifications">
      <Card title="Notifications">
        {error && !data ? (
          <ErrorState
            title="The notification settings could not be loaded"
            requestId={toServiceError(error).requestId}
            onRetry={() => void refetch()}
          >
            {toServiceError(error).message}
          </ErrorState>
        ) : null}
        {!data && !error && (
          <p className="bell-wait">
            <Spinner /> Loading
          </p>
        )}
        {shown && (
          <table className="bell-choices">
            <thead>
              <tr>
                <th scope="col">
                  <span className="visually-hidden">Event</span>
                </th>
                {CHANNELS.map(({ name, title }) => (
                  <th key={name} scope="col">
                    {title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {CATEGORIES.map((category) => (
                <tr key={category.name}>
                  <th scope="row">
                    <strong>{category.title}</strong>
                    <p>{category.description}</p>
                  </th>
                  {CHANNELS.map((channel) => (
                    <td key={channel.name}>
                      <input
                        type="checkbox"
                        className="checkbox"
                        aria-label={`${category.title}: ${channel.title}`}
                        aria-disabled={choice !== undefined || undefined}
                        checked={shown[category.name][channel.name]}
                        onChange={({ target: { checked } }) => {
                          if (choice) return;
                          const channels = { ...shown[category.name], [channel.name]: checked };
                          void change(
                            { ...shown, [category.name]: channels },
                            checked && channel.name === 'inBrowser',
                          );
                        }}
                      />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </Card>
    </div>
  );
}
