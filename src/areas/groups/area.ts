import { UsersRound } from 'lucide-react';
import { GROUP_READS, USER_READS } from '../../api/read-groups.ts';
import { defineArea } from '../../app/area/define-area.ts';

export const groupsArea = defineArea({
  name: 'groups',
  palette: () => import('./palette.ts'),
  navigation: [
    { group: 'People', path: '/groups', name: 'Groups', icon: UsersRound, key: 'g', needs: 'listGroups' },
  ],
  invalidations: {
    assignGroups: [...USER_READS, ...GROUP_READS, 'getSession'],
    unassignGroups: [...USER_READS, ...GROUP_READS, 'getSession'],
    // The directory holds the names of groups.
    createGroup: [...GROUP_READS, 'searchUsers'],
    updateGroup: [...GROUP_READS, 'searchUsers', 'getSession'],
    deleteGroup: [...GROUP_READS, ...USER_READS, 'getSession'],
  },
  auditSentences: {
    'group.assign': 'Was added to groups',
    'group.unassign': 'Was removed from groups',
    'group.delete': 'Lost a group that was deleted',
  },
});
