/** Notifications: the card of the profile that says where they go. */
export { NotificationsCard } from './NotificationsCard.tsx';
