package main

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/exactlyonce/certify/reports/certificate"
)

func signCommand() *cobra.Command {
	var key string
	c := &cobra.Command{
		Use:   "sign FILE",
		Short: "Sign a certificate with an ed25519 key",
		Long: `Sign adds a signature to each statement of a certificate; one of the same key is
replaced. It does not recheck the certificate: certify verify does.

The key is one in PKCS #8, as openssl genpkey -algorithm ed25519 writes it. Who
verifies needs the public one, in hex, which is printed.`,
		Example: `  certify sign certify-runs/20060102-150405/certificate.json --key key.pem`,
		Args:    certificateArg,
		RunE:    func(c *cobra.Command, args []string) error { return sign(c, args[0], key) },
	}
	c.Flags().StringVar(&key, "key", "", "file of the private key, PEM")
	return c
}

func sign(c *cobra.Command, file, keyFile string) error {
	if keyFile == "" {
		return usage("sign: want --key, the file of an ed25519 key")
	}
	key, err := readKey(keyFile)
	if err != nil {
		return usage("--key %s: %w", keyFile, err)
	}
	data, err := readMost(file, certificate.MaxBytes)
	if err != nil {
		return usageError{err}
	}
	signed, err := certificate.Decode(data)
	if err != nil {
		return usage("sign %s: %w", file, err)
	}
	if err := signed.Sign(key); err != nil {
		return err
	}
	if data, err = signed.Encode(); err != nil {
		return err
	}
	if err := os.WriteFile(file, data, 0o644); err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.OutOrStdout(), "signed by %s\n", certificate.KeyID(key.Public().(ed25519.PublicKey)))
	return err
}

func readKey(file string) (ed25519.PrivateKey, error) {
	data, err := readMost(file, 1<<16)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(data)
	if block == nil {
		return nil, errors.New("no PEM block in it")
	}
	any, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, err
	}
	key, ok := any.(ed25519.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("a key of type %T: want ed25519", any)
	}
	return key, nil
}
