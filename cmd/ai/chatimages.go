package main

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/llm/offline"
)

// Limits of the images of one request.
const (
	maxImages     = 20
	maxImageBytes = 20 << 20 // of all that are sent along
)

// imageRef is an image that a message of a session names.
type imageRef struct {
	line int
	url  string
}

// images reads the images of the input. For a model that takes none it fails:
// the question would be another one without.
func (c *chatRun) images(talk *conversation) ([]llm.Image, error) {
	room := imageRoom{left: maxImages, bytes: maxImageBytes}
	var images []llm.Image
	for _, ref := range c.request.images {
		image, err := room.take(c, talk, ref)
		if err != nil {
			code := exitFile
			if errors.Is(err, errNoImages) {
				code = exitUsage
			}
			return nil, &failure{code, chinese(fmt.Errorf("%s: line %d: the image: %w", c.session.path, ref.line, err),
				fmt.Sprintf("%s：第 %d 行：图片：%v", c.session.path, ref.line, err), ""), ""}
		}
		images = append(images, image)
	}
	return images, nil
}

func sizeOf(images []llm.Image) (n int) {
	for _, image := range images {
		n += len(image.Data)
	}
	return n
}

var errNoImages = errors.New("takes no images")

// imageRoom is how many more images a request may have.
type imageRoom struct{ left, bytes int }

// take reads an image, if there is room for it and the model takes images.
func (r *imageRoom) take(c *chatRun, talk *conversation, ref imageRef) (llm.Image, error) {
	m := talk.model.target.Model
	if m.API == offline.API || m.Input != nil && !slices.Contains(m.Input, "image") {
		return llm.Image{}, fmt.Errorf(`the model %s %w (the "input" of its entry in default.json says what it takes)`, m.ID, errNoImages)
	}
	if r.left <= 0 {
		return llm.Image{}, fmt.Errorf("there are more than %d", maxImages)
	}
	image, err := readImage(ref.url, c.dir, r.bytes)
	if err == nil {
		r.left--
		r.bytes -= len(image.Data)
	}
	return image, err
}

// readImage reads an image of at most that many bytes. An https: address is the
// server's to read; a data: URL is the image itself; a path is a file, where
// what it holds says whether it is an image. Other addresses are refused.
func readImage(address, dir string, most int) (llm.Image, error) {
	u, err := url.Parse(address)
	scheme := ""
	if err == nil {
		scheme = strings.ToLower(u.Scheme)
	} else if before, _, ok := strings.Cut(address, "://"); ok {
		return llm.Image{}, fmt.Errorf("the address of the kind %.20s: cannot be read as one", strings.ToLower(before))
	}
	switch scheme {
	case "https":
		if u.Host == "" {
			return llm.Image{}, errors.New("the https: address names no server")
		}
		return llm.Image{URL: address}, nil
	case "data":
		return dataImage(address, most)
	default:
		// One letter is a drive of Windows.
		if len(scheme) > 1 {
			return llm.Image{}, fmt.Errorf("expected an https: address, a data: URL or the path of a file, got one of the kind %q", scheme)
		}
	}
	if address == "" {
		return llm.Image{}, errors.New("expected an address in image_url.url, got nothing")
	}
	if !filepath.IsAbs(address) {
		address = filepath.Join(dir, address)
	}
	info, err := os.Stat(address)
	if err != nil {
		return llm.Image{}, err
	}
	if !info.Mode().IsRegular() {
		return llm.Image{}, fmt.Errorf("%s is no file", address)
	}
	file, err := os.Open(address)
	if err != nil {
		return llm.Image{}, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, int64(most)+1))
	if err != nil {
		return llm.Image{}, err
	}
	if len(data) > most {
		return llm.Image{}, fmt.Errorf("%s: all images together may have %d MiB", address, maxImageBytes>>20)
	}
	kind := http.DetectContentType(data)
	if !isImage(kind) {
		return llm.Image{}, fmt.Errorf("%s is no PNG, JPEG, GIF or WebP image", address)
	}
	return llm.Image{Data: data, MIMEType: kind}, nil
}

func isImage(mime string) bool {
	return slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, mime)
}

// dataImage reads data:image/png;base64,….
func dataImage(address string, most int) (llm.Image, error) {
	head, body, found := strings.Cut(strings.TrimPrefix(address, address[:len("data:")]), ",")
	mime, isBase64 := strings.CutSuffix(head, ";base64")
	if !found || !isBase64 || !isImage(strings.ToLower(mime)) {
		return llm.Image{}, errors.New("expected data:image/png;base64,… (or jpeg, gif, webp)")
	}
	if base64.StdEncoding.DecodedLen(len(body)) > most+2 {
		return llm.Image{}, fmt.Errorf("all images together may have %d MiB", maxImageBytes>>20)
	}
	data, err := base64.StdEncoding.DecodeString(body)
	if err != nil {
		return llm.Image{}, fmt.Errorf("data: URL: %w", err)
	}
	return llm.Image{Data: data, MIMEType: strings.ToLower(mime)}, nil
}
