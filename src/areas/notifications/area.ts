import { defineArea } from '../../app/area/define-area.ts';
import { NotificationsButton } from './NotificationsButton.tsx';

export const notificationsArea = defineArea({
  name: 'notifications',
  invalidations: {
    markNotificationsRead: ['listNotifications', 'countUnreadNotifications'],
    updateNotificationSettings: ['getNotificationSettings'],
  },
  auditSentences: { 'user.notifications': 'Notification settings changed' },
  TopBarItem: NotificationsButton,
});
