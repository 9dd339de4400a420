import { USER_READS } from '../../api/read-groups.ts';
import { defineArea } from '../../app/area/define-area.ts';

export const profileArea = defineArea({
  name: 'profile',
  invalidations: {
    enableApiKey: ['getApiKey'],
    disableApiKey: ['getApiKey'],
    beginEnrolment: [],
    confirmEnrolment: ['getOwnSecurity', 'listOwnSessions'],
    regenerateRecoveryCodes: ['getOwnSecurity'],
    beginPasskeyRegistration: [],
    registerPasskey: ['getOwnSecurity'],
    removePasskey: ['getOwnSecurity'],
    changePassword: ['getOwnSecurity', 'listOwnSessions'],
    endOwnSession: ['listOwnSessions'],
    endOtherSessions: ['listOwnSessions'],
    updateOwnProfile: ['getSession', ...USER_READS],
  },
  auditSentences: {
    'user.api-key-on': 'Turned on an API key',
    'user.api-key-off': 'Turned off the API key',
    'user.api-key-expire': 'The API key expired',
    'user.api-key-remind': 'Was reminded that the API key expires',
    'user.authenticator': 'Set up an authenticator app',
    'user.passkey-added': 'Added a passkey',
    'user.passkey-removed': 'Removed a passkey',
    'user.recovery-codes': 'Created new recovery codes',
    'user.two-factor-reset': 'Two-factor authentication was reset',
    'cli.sessions-end': 'Sessions were ended on the host',
    'cli.two-factor-reset': 'Two-factor authentication was reset on the host',
    'user.end-sessions': 'Sessions were ended',
    'cli.key-revoke': 'An API key was turned off on the host',
    'cli.api-key': 'Was given an API key on the host',
  },
});
