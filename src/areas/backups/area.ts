import { Archive } from 'lucide-react';
import { defineArea } from '../../app/area/define-area.ts';

export const backupsArea = defineArea({
  name: 'backups',
  navigation: [
    { group: 'Data', path: '/backups', name: 'Backups', icon: Archive, key: 'b', needs: 'listBackups' },
  ],
  invalidations: {
    requestBackup: ['listBackups'],
    deleteBackup: ['listBackups'],
    cancelBackup: ['listBackups'],
    verifyBackup: ['listBackups'],
    updateBackupSettings: ['getBackupSettings'],
    createBackupDownload: ['listBackupDownloads'],
  },
  resumeJobs: async (client) => (await import('./download/watch-backup.ts')).resumeWatching(client),
  clearStorage: async () => (await import('./download/stored-downloads.ts')).deleteStoredDownloads(),
});
