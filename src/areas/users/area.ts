import { UserRoundPlus, Users } from 'lucide-react';
import { GROUP_READS, LICENSE_READS, PROXY_READS, USER_READS } from '../../api/read-groups.ts';
import { defineArea } from '../../app/area/define-area.ts';
import { UsersHost } from './UsersHost.tsx';

export const usersArea = defineArea({
  name: 'users',
  palette: () => import('./palette.ts'),
  navigation: [
    { group: 'People', path: '/users', name: 'Users', icon: Users, key: 'u', needs: 'searchUsers' },
  ],
  commands: [{ label: 'New user', icon: UserRoundPlus, to: '/users/new', needs: 'createUser' }],
  invalidations: {
    createTableView: ['listTableViews'],
    updateTableView: ['listTableViews'],
    deleteTableView: ['listTableViews'],
    setDefaultTableView: ['listTableViews'],
    createUser: [...USER_READS, ...LICENSE_READS, ...GROUP_READS],
    updateUser: [...USER_READS, ...GROUP_READS, 'getSession'],
    removeUser: [...USER_READS, ...LICENSE_READS, ...GROUP_READS, ...PROXY_READS],
    addExistingUser: [...USER_READS, ...LICENSE_READS, ...GROUP_READS, 'listInvitations'],
    addExistingUserAlias: [...USER_READS, ...LICENSE_READS, ...GROUP_READS, 'listInvitations'],
    endUserSessions: ['getUserSecurity'],
    resetTwoFactor: ['getUserSecurity', ...USER_READS],
    sendPasswordLink: ['listUserChanges'],
    requestPasswordLink: [],
  },
  auditSentences: {
    'user.create': 'Joined the site',
    'user.join': 'Joined the site',
    'user.add-existing': 'Was added from another site',
    'user.update': 'Was changed',
    'user.remove': 'Was removed from the site',
    'user.home': 'Home site changed',
    'user.set-password': 'Set a password',
    'user.password-link': 'Was sent a link to set a password',
    'cli.user-create': 'Was created on the host',
    'cli.user-deactivate': 'Was deactivated on the host',
    'cli.set-password-link': 'Was given a link to set a password on the host',
    'site.first-administrator': 'Became the first administrator',
    'cli.make-admin': 'Was made an administrator on the host',
  },
  Host: UsersHost,
});
