import { defineArea } from '../../app/area/define-area.ts';
import { NotificationsButton } from './NotificationsButton.tsx';

export const notificationsArea = defineArea({
  name: 'notifications',
  invalidations: {
    markNotificationsRead: ['listNotifications', 'countUnreadNotifications'],
    updateNotificationSettings: ['getNotificationSettings'],
  },
  auditSentences: { 'user.notifications': 'Changed where notifications go' },
  TopBarItem: NotificationsButton,
});
