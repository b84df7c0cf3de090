/** Public key of a fictitious host, for tests and examples. */
export const hostKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEtOA7Ok56msiPXvWZFMhRM+8SXVSK7XhlaxghrJVxLB';
