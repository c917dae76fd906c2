package access

// RecordOpen records a use of each token with an open connection, as Run does.
var RecordOpen = (*Store).recordOpen
