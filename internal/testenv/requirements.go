package testenv

// Requirement identifies a row of docs/trust.md: something that Waxwing promises and the attacks
// or faults that tests try against it. The page, written by `make trust`, lists how often each was
// tried.
type Requirement string

// The letter of a requirement names its kind: S access from outside, B bad input, D decoding,
// R resilience.
const (
	HostHeaders      Requirement = "S1"  // a request with a foreign Host header gets 421 and nothing else
	WebOrigins       Requirement = "S2"  // other web sites change nothing and are granted nothing
	HostilePages     Requirement = "S3"  // a hostile page in a real browser sends no command, reads no byte
	SecretLeaks      Requirement = "S4"  // no secret in a log, database, header, page or process list
	WrongCredentials Requirement = "S5"  // no mutated or contradictory credential is accepted
	Scopes           Requirement = "S6"  // each operation needs its permission; others' data does not exist
	Revocation       Requirement = "S7"  // revoking a credential closes its streams within a second
	OpenBinds        Requirement = "S8"  // a public address for the control API needs --allow-remote
	LocalAccounts    Requirement = "S9"  // another account of the machine sees no secret and gets no command
	Escalation       Requirement = "S10" // no credential is stronger or lives longer than its maker
	Probing          Requirement = "S11" // guesses of names, hashes and ids tell nothing about the library
	Floods           Requirement = "S12" // the owner is served while others open all connections they can
	AuditLog         Requirement = "S13" // a flood of denied requests removes no credential event
	StreamAddresses  Requirement = "S14" // no URL, redirect or name leads the player to an address inside
	Parameters       Requirement = "B1"  // no parameter causes a 500; both engines respond alike
	Paths            Requirement = "B2"  // no file outside the music folders is opened
	ScriptsInTags    Requirement = "B4"  // scripts and escape sequences in tags are never executed
	Images           Requirement = "B5"  // covers cost bounded memory, time and cache space
	Fuzzing          Requirement = "D1"  // no parser panics or exceeds its limits on arbitrary bytes
	DamagedFiles     Requirement = "D2"  // damaged files end neither a scan nor playback
	HostileCatalogs  Requirement = "D3"  // a hostile catalog costs bounded memory, disk space and time
	PublicSuites     Requirement = "D4"  // files of public test suites decode and catalog like the reference
	Kills            Requirement = "R1"  // kill -9 loses nothing that was acknowledged
	PowerLoss        Requirement = "R2"  // a state file is old or new after a power cut, never torn
	FailingDisks     Requirement = "R3"  // a failing disk gives 503, playback continues, recovery is automatic
	Migrations       Requirement = "R4"  // every old schema upgrades, also after a kill half-way
	SlowClients      Requirement = "R5"  // slow and stalled clients do not slow down others
	Load             Requirement = "R6"  // no 5xx and no underrun under load, bounded memory
	AudioLoss        Requirement = "R8"  // playback resumes after a device or sound server failed
	Model            Requirement = "R9"  // the player equals a simple model in random histories
	DatabaseLoss     Requirement = "R10" // a failing database gives 503; nothing is written twice
	Backups          Requirement = "R11" // a backup reported as good restores; revoked stays revoked
	ObjectStorage    Requirement = "R12" // a failing storage loses no song and heals
	Soak             Requirement = "soak"
)
