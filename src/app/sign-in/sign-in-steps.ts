/** What is said while something besides the password is asked for. */
export const SIGN_IN_STEPS = {
  'two-factor': {
    title: 'Second factor',
    intro: 'Your password was right. Prove with a second factor that it is you.',
  },
  enrolment: {
    title: 'Set up a second factor',
    intro: 'Your account asks for a code besides the password from now on.',
  },
} as const;
