package filestore

func drive(string) error { return nil }
